import type { Line, Room } from '@parley/presentation/text/span'
import type { ItemId } from '@parley/protocol'
import { renderPieces } from '../markdown/render.ts'
import { advance, emptyFlow, type Flow, rest } from '../markdown/settle-blocks.ts'

/** Message printed while it arrives: settled text is in the transcript, the rest is live. */
export interface MessageStream {
  readonly itemId: ItemId
  /** Text received so far. */
  readonly seen: string
  readonly flow: Flow
  /** True once some text is settled. */
  readonly begun: boolean
}

/** Characters laid out for live rows, which show only the end of the message. */
const maxLiveCharacters = 8_192

export function openStream(itemId: ItemId): MessageStream {
  return { itemId, seen: '', flow: emptyFlow, begun: false }
}

/** Reads the message's current text; returns null unless it continues the text already seen. */
export function followText(
  stream: MessageStream,
  text: string,
  room: Room,
): { readonly stream: MessageStream; readonly rows: readonly Line[] } | null {
  if (text.length === stream.seen.length && text === stream.seen) return { stream, rows: [] }
  if (!text.startsWith(stream.seen)) return null
  const { flow, settled } = advance(stream.flow, text.slice(stream.seen.length))
  const rows = renderPieces(settled, room)
  return { stream: { ...stream, seen: text, flow, begun: stream.begun || rows.length > 0 }, rows }
}

/** Returns the rows left to settle when the message is complete. */
export function restRows({ flow }: MessageStream, room: Room): readonly Line[] {
  return renderPieces(rest(flow), room)
}

/** Returns rows of the text that may still change. */
export function liveRows(stream: MessageStream, room: Room): readonly Line[] {
  const { flow } = stream
  if (flow.block.length + flow.partial.length <= maxLiveCharacters) return restRows(stream, room)
  return renderPieces(
    rest({ ...flow, block: '', partial: (flow.block + flow.partial).slice(-maxLiveCharacters) }),
    room,
  )
}
