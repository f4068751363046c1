import type { ConversationState } from '@parley/protocol'
import type { ConversationHooks, HookMoment } from '../hooks/conversation-hooks.ts'
import { eventsFrom } from './read-recording.ts'
import type { ReplayWait } from './replay-wait.ts'
import type { ReplayedLog } from './replayed-log.ts'

interface ReplayedHookParts {
  readonly log: ReplayedLog
  readonly wait: ReplayWait
  readonly state: () => ConversationState
}

/** Hooks of a replay, which starts none: what they said comes from the log, and the engine waits for it. */
export function replayedHooks({ log, wait, state }: ReplayedHookParts): ConversationHooks {
  const isNext = ({ on }: HookMoment) => {
    const event = log.next?.event
    return event?.type === 'hook.ran' && event.hook.on === on
  }
  const comesFor = ({ on, itemId }: HookMoment) => {
    for (const event of eventsFrom(log)) {
      if (event.type === 'hook.ran' && event.hook.on === on && event.itemId === itemId) return true
      if (event.type === 'item.completed' && event.item.id === itemId) return false
    }
    return false
  }
  return {
    begun: false,
    begin: () => (isNext({ on: 'SessionStart', subject: '' }) ? { on: 'SessionStart', subject: '' } : null),
    has: (moment) => (moment.on === 'PreToolUse' ? comesFor(moment) : isNext(moment)),
    async *run(moment, _input, signal) {
      const { on, itemId } = moment
      const isOver = () =>
        on === 'PreToolUse' ? state().core.open[itemId ?? '']?.hooks !== undefined : !isNext(moment)
      await wait.until(() => (isOver() ? true : null), signal)
    },
  }
}
