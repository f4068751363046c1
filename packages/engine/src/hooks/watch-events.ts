import { type ApprovalId, unansweredApprovals } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { unlessStorageFails } from '../conversation/storage-retry.ts'
import type { Clock, Ids } from '../ports/clock-and-ids.ts'
import type { ConversationHooks, HookDenial, WatchingHooks } from './conversation-hooks.ts'
import { eventsOfRun } from './hook-events.ts'
import { type AskedCalls, askedBefore, momentsOf, noteAsked, sessionEnd, type ToldMoment } from './hook-inputs.ts'

/** Time for hooks that still run when a conversation closes, and for the hooks of the session's end. */
const endMs = 1000

interface WatchPorts {
  readonly conversation: Conversation
  readonly hooks: ConversationHooks
  /** Disposed of when no hook runs any more. */
  readonly placed: Disposable
  readonly ids: Pick<Ids, 'item'>
  readonly clock: Pick<Clock, 'sleep'>
  readonly onFault: (fault: unknown) => void
}

/** Runs hooks about questions, answers and ends of turns, as they are recorded. */
export function watchEvents(ports: WatchPorts): WatchingHooks {
  const { conversation, hooks, clock, onFault } = ports
  const stop = new AbortController()
  const running = new Set<Promise<void>>()
  const asked: AskedCalls = new Map()
  for (const approval of Object.values(conversation.state.core.approvals)) noteAsked(asked, approval, conversation)
  let isClosing = false
  let denyApproval: Deny | null = null
  const deny: Deny = (approvalId, by) => {
    // A denial that is dropped would let the call run: it fails here, and is reported.
    if (denyApproval === null) throw new Error('A hook denied before its conversation was attached.')
    denyApproval(approvalId, by)
  }
  const start = (told: ToldMoment) => {
    if (!hooks.has(told.moment)) return
    const run: Promise<void> = runTold(told, { signal: stop.signal, deny }, ports)
      .catch(onFault)
      .finally(() => running.delete(run))
    running.add(run)
  }
  conversation.watch((event) => {
    if (!isClosing) for (const told of momentsOf(event, conversation, asked)) start(told)
  })
  return {
    denyWith(deny) {
      denyApproval = deny
    },
    takeUp() {
      for (const approval of unansweredApprovals(conversation.state.core))
        for (const told of askedBefore(approval, conversation.state, asked)) start(told)
    },
    async close() {
      isClosing = true
      if (hooks.begun) start(sessionEnd(conversation.state))
      const all = Promise.all(running)
      const over = new AbortController()
      await Promise.race([all, clock.sleep(endMs, over.signal)])
      over.abort()
      stop.abort()
      await all
      ports.placed[Symbol.dispose]()
    },
  }
}

type Deny = (approvalId: ApprovalId, by: HookDenial) => void

async function runTold(
  told: ToldMoment,
  { signal, deny }: { readonly signal: AbortSignal; readonly deny: Deny },
  ports: WatchPorts,
): Promise<void> {
  const { moment, input, itemId, approvalId } = told
  const { conversation, hooks, ids } = ports
  const about = itemId === undefined ? {} : { itemId }
  // Hooks that an event starts run, and are recorded, once all watchers have had the event.
  await Promise.resolve()
  for await (const ran of hooks.run(moment, () => input, signal)) {
    // Nothing of it is for the model, which may be at work.
    const { context: _, endsTurn: __, ...finding } = ran.finding
    unlessStorageFails(() => conversation.recordAll(eventsOfRun({ ...ran, finding }, about, ids)))
    if (approvalId === undefined || finding.outcome !== 'stopped') continue
    // A denial that a full disk lost would leave the question to a yes.
    const denial = { hook: ran.hook.name, reason: finding.reason ?? '' }
    await conversation.storageRetry.persist(() => deny(approvalId, denial))
  }
}
