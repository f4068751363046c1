import type { ConversationCore, HookEvent, HookRef, ItemId, ServerNotice } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { unlessStorageFails } from '../conversation/storage-patience.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import type { ToolPorts } from '../tools/contract/define-tool.ts'

/** Run time in ms from which on people see that a turn waits for a hook. */
const slowMs = 1_000

/** Moments at which a turn waits for its hooks. */
const waitedFor: ReadonlySet<HookEvent> = new Set(['SessionStart', 'PreToolUse', 'PostToolUse', 'PreCompact', 'Stop'])

/** Tells if a turn waits for the hooks of a moment. */
export function isWaitedFor(on: HookEvent): boolean {
  return waitedFor.has(on)
}

interface SlowPorts {
  readonly conversation: Pick<Conversation, 'state' | 'record'>
  readonly clock: Pick<Clock, 'sleep'>
  readonly toolPorts: Pick<ToolPorts, 'redaction'>
  /** Sends a notice to the clients. */
  readonly notify: (notice: ServerNotice) => void
}

/**
 * Waits for the end of a hook, and records that it runs once it has taken long where a turn waits for it. That a message
 * waits is said to the clients only: a message that is stopped leaves no trace, and the first one has no log yet.
 */
export async function tellWhenSlow<End>(
  run: Promise<End>,
  { hook, itemId }: { readonly hook: HookRef; readonly itemId: ItemId | undefined },
  { conversation, clock, toolPorts, notify }: SlowPorts,
): Promise<End> {
  const holdsMessage = hook.on === 'UserPromptSubmit'
  if (!holdsMessage && !isWaitedFor(hook.on)) return run
  const over = new AbortController()
  void clock.sleep(slowMs, over.signal).then(() => {
    const { turn, meta } = conversation.state.core
    if (over.signal.aborted) return
    if (holdsMessage) return notify(waitingMessage(toolPorts.redaction.text(hook.name), meta))
    if (turn === null) return
    const about = itemId === undefined ? {} : { itemId }
    const event = { type: 'hook.running' as const, hook, turnId: turn.id, ...about, durationMs: slowMs }
    unlessStorageFails(() => conversation.record(event))
  })
  return run.finally(() => over.abort())
}

function waitingMessage(name: string, { conversationId }: ConversationCore['meta']): ServerNotice {
  const message = `A message waits for the hook "${name}" (UserPromptSubmit) before it is sent.`
  return { level: 'info', code: 'hookRunning', message, conversationId }
}
