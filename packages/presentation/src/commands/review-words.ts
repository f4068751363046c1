/** Changes of a repository, as a user names them. */
export type ReviewedChanges =
  | { readonly kind: 'workTree' }
  /** All since the branch left `base`, committed or not. */
  | { readonly kind: 'branch'; readonly base: string }
  /** A commit, or a range `A..B`. */
  | { readonly kind: 'commits'; readonly range: string }

interface RequestedReview {
  readonly span: ReviewedChanges
  /** Words of the user on what matters; empty for nothing particular. */
  readonly focus: string
}

/** Reads the words behind `/review`. Returns null where a flag has no value or two name changes. */
export function readReviewWords(words: string): RequestedReview | null {
  let span: ReviewedChanges | null = null
  let rest = words.trim()
  for (;;) {
    const [whole, flag, value = ''] = /^--(base|commit)(?:[\s=]+(\S+))?\s*/.exec(rest) ?? []
    if (whole === undefined) return { span: span ?? { kind: 'workTree' }, focus: rest }
    if (value === '' || span !== null) return null
    span = flag === 'base' ? { kind: 'branch', base: value } : { kind: 'commits', range: value }
    rest = rest.slice(whole.length)
  }
}
