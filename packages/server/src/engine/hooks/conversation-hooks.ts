import { type HookEvent, type HookRef, hookMatches, type ItemId, type ServerNotice } from '@parley/protocol'
import type { HookInput } from '@parley/protocol/hooks'
import type { Clock } from '../../ports/clock-and-ids.ts'
import { unlessAborted } from '../../tools/tool.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ConversationProject } from '../project/conversation-project.ts'
import type { PlacedHook } from './placed-hooks.ts'
import { findingOf, type HookFinding } from './read-answer.ts'
import type { HookEnd } from './run-hook.ts'
import { tellWhenSlow } from './slow-hooks.ts'
import { type HookPlace, startHook } from './start-hook.ts'

/** Moment of a conversation at which hooks run. */
export interface HookMoment {
  readonly on: HookEvent
  /** Name that matchers are compared with: of a tool, or the kind of a start, compaction or notification. */
  readonly subject: string
  /** Call that it is about. */
  readonly itemId?: ItemId
  /** Hooks that ran at this moment before a crash: they do not run again. */
  readonly ran?: readonly HookRef[]
  /** Configuration whose hooks alone run; absent for all. */
  readonly only?: HookRef['source']
}

/** Run of a hook with what it found. */
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
   * Runs the hooks of a moment, one after the other: the user's, then the project's. `input` is called before each. Ends
   * after the first that stops or is interrupted.
   */
  run(moment: HookMoment, input: () => HookInput, signal: AbortSignal): AsyncIterable<RanHook>
  /**
   * Returns the moment at which this process begins to work, once; null from then on. The user's hooks do not wait for a
   * project whose machine is away: that has a moment of its own once it was read.
   */
  begin(): HookMoment | null
  /** True once `begin` was called. */
  readonly begun: boolean
}

/** Hooks that run beside the conversation, which does not wait for them. */
export interface WatchingHooks {
  /** Runs those of the session's end. Resolves when none runs any more; what still runs after a second is ended. */
  close(): Promise<void>
}

/** Hook that denies, with its reason. */
export interface HookDenial {
  readonly hook: string
  readonly reason: string
}

interface HookParts extends HookPlace {
  readonly conversation: Pick<Conversation, 'state' | 'started' | 'record' | 'mayAct'>
  /** Returns the hooks of the configuration as it was read. */
  readonly hooks: () => readonly PlacedHook[]
  readonly project: Pick<ConversationProject, 'isRead' | 'read'>
}

interface SystemPorts {
  readonly notify: (notice: ServerNotice) => void
  readonly clock: Clock
}

/** Creates the hooks of a conversation; none runs before `run`. */
export function createHooks(parts: HookParts, ports: SystemPorts): ConversationHooks {
  const source = parts.conversation.started ? 'resume' : 'startup'
  let begun: 'not' | 'user' | 'all' = 'not'
  const matching = ({ on, subject, ran = [], only }: HookMoment) => {
    const hooks = parts
      .hooks()
      .filter(
        (hook) => hook.on === on && hookMatches(hook.matcher, on, subject) && (only ?? hook.source) === hook.source,
      )
    return ran.length === 0 ? hooks : withoutThose(ran, hooks)
  }
  /** While the project is away nobody knows if it has any. */
  const isUnknown = ({ only }: HookMoment) => !parts.project.isRead && only !== 'user'
  return {
    get begun() {
      return begun !== 'not'
    },
    begin() {
      const { isRead } = parts.project
      if (begun === 'all' || (begun === 'user' && !isRead)) return null
      const only = begun === 'user' ? 'project' : isRead ? null : 'user'
      begun = isRead ? 'all' : 'user'
      return { on: 'SessionStart', subject: source, ...(only === null ? {} : { only }) }
    },
    has: (moment) => isUnknown(moment) || matching(moment).length > 0,
    async *run(moment, input, signal) {
      if (isUnknown(moment)) await unlessAborted(parts.project.read(), signal)
      for (const hook of matching(moment)) {
        if (signal.aborted) return
        const { name, on, source: from } = hook
        const ref = { name, on, source: from }
        const started = startHook(hook, { input: JSON.stringify(input()), signal }, { ...parts, ...ports })
        const end = await tellWhenSlow(started, { hook: ref, itemId: moment.itemId }, { ...parts, ...ports })
        const finding = findingOf(hook, end)
        yield { hook: ref, end, finding }
        if (finding.outcome === 'stopped' || finding.outcome === 'interrupted') return
      }
    },
  }
}

/** Returns the hooks but those that have run; of several with one name as many as have not. */
function withoutThose(ran: readonly HookRef[], hooks: readonly PlacedHook[]): readonly PlacedHook[] {
  const done = [...ran]
  return hooks.filter(({ name, source }) => {
    const at = done.findIndex((one) => one.name === name && one.source === source)
    if (at >= 0) done.splice(at, 1)
    return at < 0
  })
}
