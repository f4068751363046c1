const schemes = /^(?:https?|file|mailto):/i

/** Terminals cut or refuse longer ones. */
const maxLength = 2_000

/** A link target that is safe inside OSC 8: a scheme that opens nothing but pages, files and mail, no controls. */
export function safeHref(target: string): string | null {
  if (!schemes.test(target)) return null
  const href = target.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent)
  return href.length <= maxLength ? href : null
}
