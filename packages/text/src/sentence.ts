/** Returns a text as a sentence: a full stop is added where nothing ends it, so that another can follow. */
export function asSentence(text: string): string {
  const said = text.trimEnd()
  return said === '' || /[.!?…]$/.test(said) ? said : `${said}.`
}
