import { isCall } from './reduce/items.ts'
import type { ConversationEvent } from './schema/event.ts'
import type { Item } from './schema/item.ts'
import type { ConversationState, Core, OpenItem } from './schema/state.ts'

const endUnknown = 'This was started, but the program ended before it reported; whether it finished is unknown. Check before running it again.'
const notRun = 'Not run: the conversation was interrupted before it started.'

/**
 * What a crash left open → the events that settle it. A turn with an approval in it (pending, or approved and not
 * begun) is parked with its calls untouched; any other ends as interrupted. Begun without a result becomes `unknown`
 * and is never run again by itself. Recording these leaves nothing open but what waits for a person.
 */
export function recover(state: ConversationState): readonly ConversationEvent[] {
  const { core } = state
  const waits = core.turn !== null && Object.keys(core.approvals).length > 0
  const settled = Object.values(core.open).flatMap((open) => settle(open, waits))
  return [...settled, ...settleTurn(core, waits)]
}

function settle(open: OpenItem, waits: boolean): ConversationEvent[] {
  if (waits && isCall(open.item) && !open.began) return []
  const item = settledItem(open)
  return [{ type: 'item.completed', ...(open.turnId === null ? {} : { turnId: open.turnId }), item }]
}

function settledItem({ item, began, output, progress }: OpenItem): Item {
  if (item.type === 'commandExecution' || item.type === 'shellCommand') {
    const seen = shownOutput(output, progress)
    return { ...item, ...callEnd(began || item.type === 'shellCommand'), ...(seen === null ? {} : { output: seen }) }
  }
  if (item.type === 'fileChange' || item.type === 'toolCall') return { ...item, ...callEnd(began) }
  return { ...item, status: 'interrupted' }
}

function callEnd(began: boolean): { status: 'unknown' | 'interrupted'; modelText: string } {
  return began ? { status: 'unknown', modelText: endUnknown } : { status: 'interrupted', modelText: notRun }
}

function shownOutput(head: string, progress: OpenItem['progress']) {
  if (head === '' && progress === null) return null
  const totalBytes = progress?.totalBytes ?? head.length
  const tail = progress?.tail ?? ''
  return { head, tail, totalBytes, omittedBytes: Math.max(0, totalBytes - head.length - tail.length) }
}

function settleTurn(core: Core, waits: boolean): ConversationEvent[] {
  const { turn } = core
  if (turn === null) return []
  if (waits) return turn.parked ? [] : [{ type: 'turn.parked', turnId: turn.id, reason: 'The program ended while an approval waited.' }]
  return [{ type: 'turn.ended', turnId: turn.id, outcome: 'interrupted', usage: turn.usage, denials: turn.denials }]
}
