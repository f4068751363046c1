import type { ShapeMatch } from './shape.ts'

export const blockPrefix = '-----BEGIN '

/** No key is longer; what follows in a block that is would be something else. */
const maxLength = 64 * 1024
/** Between the header and the key, or between two of its lines: line ends however written, numbers, quotes, headers. */
const maxGap = 200
/** Shorter runs are words. */
const leastRun = 32
const maxHeader = 80

const header = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const headerChars = /[A-Z0-9 -]*/y
const next = /-----END [A-Z0-9 ]{0,60}-----|\[secret:|[A-Za-z0-9+/=]{32,}/g

/**
 * A private key in its armour, from its first line to its last, however its lines are joined. One that is cut off ends
 * with the last line that is there.
 */
export function matchKeyBlock(text: string, from: number, whole: boolean): ShapeMatch {
  header.lastIndex = from
  const opening = header.exec(text)
  if (opening === null) return isUnfinished(text, from, whole) ? 'more' : 'no'
  const start = from + opening[0].length
  const limit = from + maxLength
  let end = start
  for (;;) {
    next.lastIndex = end
    const reach = Math.min(end + maxGap, limit)
    const window = text.slice(0, Math.min(text.length, limit))
    const found = next.exec(window)
    const isNear = found !== null && found.index <= reach
    if (!isNear) {
      if (text.length < reach + leastRun + maxHeader && text.length < limit && !whole) return 'more'
      return end === start ? 'no' : { start: from, end }
    }
    const stop = found.index + found[0].length
    if (found[0].startsWith('[')) return end === start ? 'no' : { start: from, end }
    if (found[0].startsWith('-')) return end === start ? 'no' : { start: from, end: stop }
    // A run may go on in what comes next, and the end of the block with it.
    if (stop === text.length && text.length < limit && !whole) return 'more'
    end = stop
  }
}

function isUnfinished(text: string, from: number, whole: boolean): boolean {
  headerChars.lastIndex = from
  const length = headerChars.exec(text)?.[0].length ?? 0
  return !whole && from + length === text.length && length < maxHeader
}
