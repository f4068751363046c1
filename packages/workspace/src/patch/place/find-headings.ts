import { findLines } from './find-lines.ts'

/** Occurrence of the headings of a chunk: the outermost, and the innermost, below which the chunk applies. */
export interface HeadingAt {
  readonly first: number
  readonly last: number
  /** Index after the last line of the block below the innermost heading, by indentation. */
  readonly end: number
}

export interface FoundHeadings {
  /** Occurrences of the headings that are there, ascending; empty without any. */
  readonly at: readonly HeadingAt[]
  /** First heading that is not there, and where the search for it began. */
  readonly missing: { readonly context: string; readonly from: number } | null
}

interface Searched {
  readonly texts: readonly string[]
  readonly from: number
}

/** Finds the headings of a chunk: each outermost one with the nearest inner ones below it. */
export function findHeadings({ texts, from }: Searched, headings: readonly string[]): FoundHeadings {
  let chains: readonly Chain[] | null = null
  let missing: FoundHeadings['missing'] = null
  for (const context of headings) {
    const below: number = chains === null ? from : (chains[0]?.last ?? 0) + 1
    const at = headingLines({ texts, from: below }, context)
    if (at.length === 0) missing ??= { context, from: below }
    else chains = chains === null ? at.map((index) => ({ first: index, last: index })) : continued(chains, at)
  }
  return { at: (chains ?? []).map((chain) => ({ ...chain, end: blockEnd(texts, chain.last) })), missing }
}

type Chain = Omit<HeadingAt, 'end'>

/** Length in bytes from which a heading may be cut off: git cuts the line that it repeats after 80. */
const cutBytes = 70

/** Returns the lines equal to the heading, or else the lines that begin with a cut heading. */
function headingLines({ texts, from }: Searched, heading: string): readonly number[] {
  const whole = findLines({ lines: texts, wanted: [heading], from })
  if (whole.length > 0 || Buffer.byteLength(heading) < cutBytes) return whole
  // The cut may have left half a character, which arrives as U+FFFD.
  const beginning = heading.trim().replace(/\uFFFD+$/, '')
  return texts.flatMap((text, index) => (index >= from && text.trim().startsWith(beginning) ? [index] : []))
}

/** Continues each chain with the first index after it; drops chains without one. Both lists ascend. */
function continued(chains: readonly Chain[], at: readonly number[]): Chain[] {
  let next = 0
  return chains.flatMap(({ first, last }) => {
    while ((at[next] ?? Number.POSITIVE_INFINITY) <= last) next += 1
    const index = at[next]
    return index === undefined ? [] : [{ first, last: index }]
  })
}

/** Returns where the block of a heading ends: at the next line that is not further in, but for a brace that opens it. */
function blockEnd(texts: readonly string[], heading: number): number {
  const own = indentOf(texts[heading] ?? '')
  let isOpen = false
  for (let index = heading + 1; index < texts.length; index++) {
    const text = texts[index] ?? ''
    if (text.trim() === '') continue
    if (indentOf(text) > own) isOpen = true
    else if (isOpen || !/^\s*[{(]\s*$/.test(text)) return index
  }
  return texts.length
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length
}
