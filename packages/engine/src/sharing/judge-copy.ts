import type { Comparison, Extent } from '../ports/shared-store.ts'

/** Way of a copy, as seen from this machine. */
export type CopyWay = 'to' | 'from'

/** Work that a copy is, or the reason why it is refused. */
export type Judgement =
  | { readonly kind: 'copy'; readonly lines: number; readonly bytes: number }
  /** The target has all of it. */
  | { readonly kind: 'there' }
  | { readonly kind: 'refused'; readonly reason: string }

const none: Pick<Extent, 'lines' | 'bytes'> = { lines: 0, bytes: 0 }

/** Decides about a copy from what both sides have; a target is only ever continued. */
export function judge(compared: Comparison, way: CopyWay): Judgement {
  const { stored, here, partsAtLine, unsent, isCopy, isListed } = compared
  const [source, target] = way === 'to' ? [here, stored] : [stored, here]
  if (source === null) return refused(way === 'to' ? 'This machine has no log of it.' : 'The store does not have it.')
  if (partsAtLine !== null)
    return refused(
      `Line ${partsAtLine} is another one here than in the store. Nothing was changed. To keep both, make another conversation of the log here: \`parley bundle\`, then \`parley open\`.`,
    )
  if (unsent !== null)
    return refused(
      `The store never acknowledged ${unsent.lines} lines that are here, from line ${unsent.fromLine} on, and nobody was shown them. Nothing was changed. A server with this home keeps them aside when it opens the conversation; then copy it.`,
    )
  const { lines, bytes } = target ?? none
  const more = { lines: source.lines - lines, bytes: source.bytes - bytes }
  if (more.bytes > 0) return { kind: 'copy', ...more }
  // Where all bytes are there, it may still be missing from lists, or belong to the other side.
  const isSettled = way === 'to' ? isCopy && isListed : !isCopy
  return isSettled ? { kind: 'there' } : { kind: 'copy', ...none }
}

function refused(reason: string): Judgement {
  return { kind: 'refused', reason }
}
