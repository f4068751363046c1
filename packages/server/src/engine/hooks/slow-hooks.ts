import type { HookEvent, HookRef, ItemId } from '@parley/protocol'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { unlessStorageFails } from '../conversation/storage-patience.ts'

/** Run time in ms from which on people see that a turn waits for a hook. */
const slowMs = 1_000

/** Moments at which a turn waits for its hooks. */
const waitedFor: ReadonlySet<HookEvent> = new Set(['SessionStart', 'PreToolUse', 'PostToolUse', 'PreCompact', 'Stop'])

interface SlowPorts {
  readonly conversation: Pick<Conversation, 'state' | 'record'>
  readonly clock: Pick<Clock, 'sleep'>
}

/** Waits for the end of a hook, and records that it runs once it has taken long where a turn waits for it. */
export async function tellWhenSlow<End>(
  run: Promise<End>,
  { hook, itemId }: { readonly hook: HookRef; readonly itemId: ItemId | undefined },
  { conversation, clock }: SlowPorts,
): Promise<End> {
  if (!waitedFor.has(hook.on)) return run
  const over = new AbortController()
  void clock.sleep(slowMs, over.signal).then(() => {
    const { turn } = conversation.state.core
    if (over.signal.aborted || turn === null) return
    const about = itemId === undefined ? {} : { itemId }
    const event = { type: 'hook.running' as const, hook, turnId: turn.id, ...about, durationMs: slowMs }
    unlessStorageFails(() => conversation.record(event))
  })
  return run.finally(() => over.abort())
}
