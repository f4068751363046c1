import type { Parley } from '@parley/client'
import { stripEffects } from '@parley/presentation/text/control-characters'
import type { CompletedItem, ConversationId } from '@parley/protocol'
import { connect, findConversation } from '../cli/connect.ts'
import { exitCodes, misused, ParleyError } from '../cli/exit-codes.ts'
import { workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { newestEvent } from '../conversation/fork-point.ts'
import { itemLines } from '../view/plain/item-lines.ts'

export interface ShowFlags {
  readonly at?: number
  readonly json?: boolean
}

export interface DiffFlags {
  readonly from?: number
  readonly to?: number
  readonly json?: boolean
}

/** Runs `parley show`: prints a conversation as it was after an event, each item with the number of its event. */
export function showConversation(launch: Launch, id: string | undefined, { at, json }: ShowFlags): Promise<number> {
  return print(launch, id, { after: 0, upTo: at ?? Number.POSITIVE_INFINITY, json: json === true, withDiffs: false })
}

/** Runs `parley diff`: prints messages, commands and changes between two events, the second included. */
export function diffConversation(launch: Launch, id: string | undefined, flags: DiffFlags): Promise<number> {
  const { from = 0, to = Number.POSITIVE_INFINITY, json } = flags
  if (from >= to) throw misused(`--from ${from} is not before --to ${to}.`)
  return print(launch, id, { after: from, upTo: to, json: json === true, withDiffs: true })
}

interface EventSpan {
  /** Seq before the first item. */
  readonly after: number
  /** Seq of the last item at most. */
  readonly upTo: number
  readonly json: boolean
  readonly withDiffs: boolean
}

async function print(launch: Launch, id: string | undefined, span: EventSpan): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-show' })
  const wanted = id === undefined ? ({ last: true, cwd: workingFolder() } as const) : { prefix: id }
  const conversationId = await findConversation(parley, wanted)
  await assertThere(parley, conversationId, span)
  const items = await itemsIn(parley, conversationId, span)
  const lines = items.flatMap((completed) =>
    span.json ? [JSON.stringify(completed)] : numberedLines(completed, span.withDiffs),
  )
  launch.streams.stdout.write(lines.map((line) => `${line}\n`).join(''))
  if (lines.length === 0) launch.streams.stderr.write('There is nothing in that part of the conversation.\n')
  return exitCodes.ok
}

/** Throws `itemNotFound` for a span that begins or ends beyond the newest event. */
async function assertThere(parley: Parley, conversationId: ConversationId, { after, upTo }: EventSpan): Promise<void> {
  const named = [after, upTo].filter((seq) => seq > 0 && Number.isFinite(seq))
  if (named.length === 0) return
  const newest = await newestEvent(parley, conversationId)
  const beyond = named.find((seq) => seq > newest)
  if (beyond === undefined) return
  throw new ParleyError('itemNotFound', exitCodes.notFound, `There is no event ${beyond}; the newest is ${newest}.`)
}

/** Resolves to the items of a span, oldest first; reads them page by page from the newest. */
async function itemsIn(
  parley: Parley,
  conversationId: ConversationId,
  { after, upTo }: EventSpan,
): Promise<readonly CompletedItem[]> {
  const pages: (readonly CompletedItem[])[] = []
  let before = Number.isFinite(upTo) ? upTo + 1 : undefined
  for (;;) {
    const request = { conversationId, limit: 1000, ...(before === undefined ? {} : { before }) }
    const { items, more } = await parley.request('conversation/read', request)
    pages.unshift(items.filter(({ seq }) => seq > after))
    const [oldest] = items
    if (!more || oldest === undefined || oldest.seq <= after) return pages.flat()
    before = oldest.seq
  }
}

const numberColumns = 7

/** Returns the lines of an item; the first one has the number of its event, for `fork --at`. */
function numberedLines({ seq, item }: CompletedItem, withDiffs: boolean): readonly string[] {
  const diffs = withDiffs && item.type === 'fileChange' && item.status === 'completed' ? item.changes : []
  const lines = [...itemLines(item, null), ...diffs.flatMap(({ diff }) => stripEffects(diff).trimEnd().split('\n'))]
  return lines.map((line, index) =>
    `${(index === 0 ? String(seq) : '').padStart(numberColumns - 2)}  ${line}`.trimEnd(),
  )
}
