import type {
  ConversationCore,
  ConversationState,
  EventOf,
  HookEvent,
  HookRef,
  ItemId,
  ServerNotice,
} from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { unlessStorageFails } from '../conversation/storage-retry.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import type { ToolPorts } from '../tools/contract/define-tool.ts'
import type { PlacedHook } from './placed-hooks.ts'

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

/** Returns how a process begins: with a new session until hooks of its start have run, or the model has answered. */
export function sourceOf({ core }: ConversationState): 'startup' | 'resume' {
  return core.begun === true || core.usage.calls !== undefined ? 'resume' : 'startup'
}

/** Returns the event that these hooks of a moment run from now on; empty where the state has them already. */
export function startedEvents(
  { on, itemId, turnId }: Omit<EventOf<'hooks.started'>, 'type' | 'hooks'>,
  hooks: readonly PlacedHook[],
  { core }: ConversationState,
): readonly EventOf<'hooks.started'>[] {
  const named = hooks.map(({ name, source, required }) => ({
    ...{ name, on, source },
    ...(required ? { required: true as const } : {}),
  }))
  const known = (core.hooks ?? []).find((one) => one.on === on && one.itemId === itemId)
  const isKnown = known?.hooks.length === named.length && named.every((hook, at) => isSame(hook, known.hooks[at]))
  if (named.length === 0 || (isKnown && itemId !== undefined)) return []
  const about = { ...(turnId === undefined ? {} : { turnId }), ...(itemId === undefined ? {} : { itemId }) }
  return [{ type: 'hooks.started', on, ...about, hooks: named }]
}

/** Tells if two names are of one hook. */
export function isSame(
  one: Pick<HookRef, 'name' | 'source'>,
  other: Pick<HookRef, 'name' | 'source'> | undefined,
): boolean {
  return one.name === other?.name && one.source === other.source
}

/** Returns the hooks without the ones that have run; of several with one name, as many as have not run. */
export function withoutThose(ran: readonly HookRef[], hooks: readonly PlacedHook[]): readonly PlacedHook[] {
  const done = [...ran]
  return hooks.filter(({ name, source }) => {
    const at = done.findIndex((one) => one.name === name && one.source === source)
    if (at >= 0) done.splice(at, 1)
    return at < 0
  })
}
