import type { ConversationEvent, Enforcement } from '@parley/protocol'
import type { ConversationLimits } from '../../limits/conversation-limits.ts'
import type { ReplayedLog } from '../replayed-log.ts'

/** Limits of a replay, which starts nothing: what was enforced comes from the log. */
export function replayedLimits(log: ReplayedLog): ConversationLimits {
  return {
    reason: null,
    localHome: null,
    standingOf: () => Promise.resolve([]),
    enforcementFor: () => enforcementOf(log.next?.event),
    readReport: () => Promise.resolve(),
    recordEnforcement: () => undefined,
    narrowed: () => undefined,
    whenNarrowed: () => () => undefined,
    recheck: () => Promise.resolve(),
    describe: () => Promise.resolve(null),
    prepare: () => Promise.reject(new Error('A replay starts nothing.')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Returns the enforcement that a turn begins with; `none` for one that is no review. */
function enforcementOf(event: ConversationEvent | undefined): Enforcement {
  return (event?.type === 'turn.started' ? event.enforcement : undefined) ?? 'none'
}
