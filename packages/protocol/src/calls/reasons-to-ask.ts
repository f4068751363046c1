/** Beginnings of the reasons of two built-in rules: policy writes them, screens put shorter words in their place. */
export const reasonsToAsk = {
  untrusted: 'the approval policy is untrusted and this is not known to be harmless',
  dangerous: 'it destroys things for good',
} as const
