import { isRunning } from '@parley/presentation/items/call-facts'
import { looksAt } from '@parley/presentation/items/looked-at'
import type { Line, Room } from '@parley/presentation/text/span'
import type { ConversationState, Item, ItemId, OpenItem } from '@parley/protocol'
import type { WorkControl } from '../../ui/state/ui-state.ts'
import { below, hung, indented } from '../text/gutter.ts'
import { type BlockKind, gapBefore } from '../transcript/block.ts'
import { runningCommand, toolRows } from '../transcript/call-block.ts'
import { changeHead } from '../transcript/change-block.ts'
import { runningCompaction } from '../transcript/compaction-block.ts'
import { reasoningRows } from '../transcript/item-block.ts'
import { lookUpBlock } from '../transcript/look-ups.ts'
import { liveRows } from '../transcript/message-stream.ts'
import { tailRows } from '../transcript/output-rows.ts'
import type { Transcript } from '../transcript/transcript.ts'

/** Newest output lines shown of running calls. */
const tailLimit = 6

interface Surroundings {
  readonly transcript: Transcript
  readonly room: Room
}

/** Returns the rows of streaming and running items, without background commands, as the transcript will show them. */
export function runningRows(
  { core }: ConversationState,
  { inBackground }: WorkControl,
  { transcript, room }: Surroundings,
): readonly Line[] {
  const rows: Line[] = []
  let last = transcript.last
  const put = (kind: BlockKind, lines: readonly Line[]) => {
    if (lines.length === 0) return
    for (const line of [...gapBefore(last, kind), ...lines]) rows.push(line)
    last = kind
  }
  const { stream } = transcript
  if (stream?.begun === true && last === 'message') for (const row of liveRows(stream, room)) rows.push(row)
  else if (stream !== null) put('message', liveRows(stream, room))
  const shown = Object.values(core.open).filter(
    (open) => isShown(open, stream?.itemId) && !inBackground.includes(open.item.id),
  )
  const looking = shown.flatMap(({ item }) => looksAt(item) ?? [])
  const lookUps = [...transcript.lookUps, ...looking]
  if (lookUps.length > 0)
    put('lookUp', lookUpBlock(lookUps, room, looking.length > 0 ? 'Looking at' : 'Looked at').lines)
  for (const open of shown) if (looksAt(open.item) === null) put(kindOf(open.item), openRows(open, room))
  const waiting = Object.values(core.open).filter(({ item }) => item.status === 'proposed').length
  if (waiting === 0 || shown.length === 0) return rows
  return [...rows, ...indented([[{ text: `${waiting} more to do`, tone: 'muted' }]])]
}

function isShown(open: OpenItem, streamed: ItemId | undefined): boolean {
  return open.item.id !== streamed && isRunning(open) && open.item.type !== 'agentMessage'
}

function kindOf(item: Item): BlockKind {
  return item.type === 'reasoning' ? 'reasoning' : 'call'
}

function openRows({ item, output, progress }: OpenItem, room: Room): readonly Line[] {
  switch (item.type) {
    case 'commandExecution':
    case 'shellCommand':
      return runningCommand(item, progress?.tail ?? output, room, tailLimit)
    case 'fileChange':
      return changeHead(item, room)
    case 'toolCall':
      return [...toolRows(item, room), ...hung(tailRows(progress?.tail ?? output, below(room), tailLimit))]
    case 'reasoning':
      return reasoningRows(item, room)
    case 'contextCompaction':
      return runningCompaction(item, room, tailLimit)
    default:
      return []
  }
}
