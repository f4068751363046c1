import {
  type ApprovalId,
  type EventOf,
  type HookEvent,
  type HookRef,
  type HooksStarted,
  hookMatches,
  type ItemId,
  type ServerNotice,
  type TurnId,
} from '@parley/protocol'
import type { HookInput } from '@parley/protocol/hooks'
import type { Conversation } from '../conversation/conversation.ts'
import { unlessStorageFails } from '../conversation/storage-retry.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import type { ConversationProject } from '../project/conversation-project.ts'
import { unlessAborted } from '../tools/contract/tool.ts'
import { isSame, isWaitedFor, sourceOf, startedEvents, tellWhenSlow, withoutThose } from './hook-notices.ts'
import type { PlacedHook } from './placed-hooks.ts'
import { findingOf, type HookFinding } from './read-answer.ts'
import type { HookEnd } from './run-hook.ts'
import { type HookPlace, startHook } from './start-hook.ts'

/** Moment of a conversation at which hooks run. */
export interface HookMoment {
  readonly on: HookEvent
  /** Name that matchers are compared with: of a tool, or the kind of a start, compaction or notification. */
  readonly subject: string
  /** Call that it is about. */
  readonly itemId?: ItemId
  readonly turnId?: TurnId
  /** Hooks that ran at this moment before a crash: they do not run again. */
  readonly ran?: readonly HookRef[]
  /** Hooks that alone run, since an earlier program had begun with the moment; absent for all. */
  readonly left?: readonly HookRef[]
  /** Configuration to take hooks from; absent for all configurations. */
  readonly only?: HookRef['source']
}

/** Run of a hook with its findings. */
export interface RanHook {
  readonly hook: HookRef
  readonly end: Pick<HookEnd, 'exitCode' | 'durationMs'>
  readonly finding: HookFinding
}

/** Hooks of a conversation in this process. */
export interface ConversationHooks {
  /** Tells if any hook runs at a moment. */
  has(moment: HookMoment): boolean
  /**
   * Returns the event that the hooks of a moment run from now on; empty without hooks, and where the state knows them.
   */
  started(moment: HookMoment): readonly EventOf<'hooks.started'>[]
  /**
   * Returns the moments after calls that an earlier process left hooks of to this one; empty from the second call on.
   */
  takeLeft(): readonly HooksStarted[]
  /**
   * Runs the hooks of a moment, one after the other: the user's, then the project's. `input` is called before each. Ends
   * after the first that stops or is interrupted.
   */
  run(moment: HookMoment, input: () => HookInput, signal: AbortSignal): AsyncIterable<RanHook>
  /**
   * Returns the moment at which this process begins to work; null once its hooks have run. The user's hooks do not wait
   * for a project on an unreachable machine: the project has its own moment once it was read.
   */
  begin(): HookMoment | null
  /** Called once the hooks of that moment have run. */
  hasBegun(moment: HookMoment): void
  /** True once `begin` was called. */
  readonly begun: boolean
}

/** Hooks that run beside the conversation, which does not wait for them. */
export interface WatchingHooks {
  /** Sets the function that denies an approval in the name of a hook, unless it was answered. Called once. */
  denyWith(deny: (approvalId: ApprovalId, by: HookDenial) => void): void
  /** Runs the hooks for questions that an earlier process left open. */
  takeUp(): void
  /**
   * Runs the hooks of the session's end. Resolves when no hook runs any more; ends hooks that still run after a second.
   */
  close(): Promise<void>
}

/** Hook that denies, with its reason. */
export interface HookDenial {
  readonly hook: string
  readonly reason: string
}

interface HookParts extends HookPlace {
  readonly conversation: Pick<Conversation, 'state' | 'started' | 'record' | 'recordAll' | 'synced' | 'mayAct'>
  /** Returns the hooks of the configuration as it was read. */
  readonly hooks: () => readonly PlacedHook[]
  readonly project: Pick<ConversationProject, 'isRead' | 'read'>
}

interface SystemPorts {
  readonly notify: (notice: ServerNotice) => void
  readonly clock: Clock
}

/** Creates the hooks of a conversation; no hook runs before `run`. */
export function createHooks(parts: HookParts, ports: SystemPorts): ConversationHooks {
  const { conversation, toolPorts } = parts
  const { clock, notify } = ports
  const slowPorts = { conversation, clock, toolPorts, notify }
  let begun = false
  let ran: 'none' | 'user' | 'all' = 'none'
  let tookLeft = false
  const matching = ({ on, subject, ran = [], left, only }: HookMoment) => {
    const hooks = parts
      .hooks()
      .filter(
        (hook) => hook.on === on && hookMatches(hook.matcher, on, subject) && (only ?? hook.source) === hook.source,
      )
    const others = ran.length === 0 ? hooks : withoutThose(ran, hooks)
    return left === undefined ? others : others.filter((hook) => left.some((one) => isSame(one, hook)))
  }
  const started = (moment: HookMoment) => startedEvents(moment, matching(moment), conversation.state)
  /** While the project is away nobody knows if it has any. */
  const isUnknown = ({ only }: HookMoment) => !parts.project.isRead && only !== 'user'
  return {
    get begun() {
      return begun
    },
    begin() {
      const { isRead } = parts.project
      if (ran === 'all' || (ran === 'user' && !isRead)) return null
      begun = true
      const only = ran === 'user' ? 'project' : isRead ? null : 'user'
      return { on: 'SessionStart', subject: sourceOf(conversation.state), ...(only === null ? {} : { only }) }
    },
    hasBegun({ only }) {
      ran = only === 'user' ? 'user' : 'all'
    },
    has: (moment) => isUnknown(moment) || matching(moment).length > 0,
    started,
    takeLeft() {
      if (tookLeft || !parts.project.isRead) return []
      tookLeft = true
      return (conversation.state.core.hooks ?? []).filter(({ on }) => on === 'PostToolUse')
    },
    async *run(moment, input, signal) {
      if (isUnknown(moment)) await unlessAborted(parts.project.read(), signal)
      if (signal.aborted) return
      await recordStart(moment.on, started(moment), conversation)
      for (const hook of matching(moment)) {
        if (signal.aborted) return
        const { name, on, source: from } = hook
        const ref = { name, on, source: from }
        const started = startHook(hook, { input: JSON.stringify(input()), signal }, { place: parts, clock })
        const end = await tellWhenSlow(started, { hook: ref, itemId: moment.itemId }, slowPorts)
        const finding = findingOf(hook, end)
        yield { hook: ref, end, finding }
        if (finding.outcome === 'stopped' || finding.outcome === 'interrupted') return
      }
    },
  }
}

/** Records that hooks run, before the first starts. A message that is stopped leaves no trace, and the first one has no log yet. */
async function recordStart(
  on: HookEvent,
  started: readonly EventOf<'hooks.started'>[],
  conversation: Pick<Conversation, 'recordAll' | 'synced'>,
): Promise<void> {
  if (on === 'UserPromptSubmit') return
  if (!isWaitedFor(on)) return unlessStorageFails(() => conversation.recordAll(started))
  conversation.recordAll(started)
  await conversation.synced()
}
