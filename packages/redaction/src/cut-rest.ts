/** Characters. Less of a secret says nothing of it. */
const tellingLength = 12
const mark = /\[secret:[^\]]*\]/

export interface CutRest {
  readonly told: string
  /** What may be half a secret: what follows the last mark. */
  readonly kept: string
}

/** What was held back where nothing follows any more although something was to: whether it is a secret is never known. */
export function splitCutRest(rest: string): CutRest {
  const kept = rest.split(mark).at(-1) ?? ''
  if (kept.length < tellingLength) return { told: rest, kept: '' }
  return { told: rest.slice(0, rest.length - kept.length), kept }
}
