import { renderPieces } from '../markdown/render.ts'
import { advance, emptyFlow, type Flow, rest } from '../markdown/settle-blocks.ts'
import { indented } from '../text/gutter.ts'
import type { Line, Room } from '../text/span.ts'

/** A message that is printed while it is being written: what cannot change any more is settled, the rest is live. */
export interface MessageStream {
  readonly itemId: string
  /** What has been taken of it so far. */
  readonly seen: string
  readonly flow: Flow
  /** Some of it is settled. */
  readonly begun: boolean
}

/** Live rows show its end; text further back than this is not laid out for them. */
const maxLiveCharacters = 8_192

export function openStream(itemId: string): MessageStream {
  return { itemId, seen: '', flow: emptyFlow, begun: false }
}

/** Takes the text as it stands now; null if it is not what was seen, written on. */
export function followText(
  stream: MessageStream,
  text: string,
  room: Room,
): { readonly stream: MessageStream; readonly rows: readonly Line[] } | null {
  if (text.length === stream.seen.length && text === stream.seen) return { stream, rows: [] }
  if (!text.startsWith(stream.seen)) return null
  const { flow, settled } = advance(stream.flow, text.slice(stream.seen.length))
  const rows = indented(renderPieces(settled, room))
  return { stream: { ...stream, seen: text, flow, begun: stream.begun || rows.length > 0 }, rows }
}

/** What is left to settle when the message is complete. */
export function restRows({ flow }: MessageStream, room: Room): readonly Line[] {
  return indented(renderPieces(rest(flow), room))
}

/** The part that may still change, as it stands now. */
export function liveRows(stream: MessageStream, room: Room): readonly Line[] {
  const { flow } = stream
  if (flow.block.length + flow.partial.length <= maxLiveCharacters) return restRows(stream, room)
  return indented(
    renderPieces(rest({ ...flow, block: '', partial: (flow.block + flow.partial).slice(-maxLiveCharacters) }), room),
  )
}
