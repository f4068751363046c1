import type { ConversationHooks, HookMoment } from '../../hooks/conversation-hooks.ts'
import { eventsFrom } from '../read-recording.ts'
import type { ReplayWait } from '../replay-wait.ts'
import type { ReplayedLog } from '../replayed-log.ts'

interface ReplayedHookParts {
  readonly log: ReplayedLog
  readonly wait: ReplayWait
}

/** Hooks of a replay, which starts none: what they said comes from the log, and the engine waits for it. */
export function replayedHooks({ log, wait }: ReplayedHookParts): ConversationHooks {
  const isNext = ({ on }: HookMoment) => {
    const event = log.next?.event
    if (event?.type === 'hooks.started') return event.on === on
    return (event?.type === 'hook.ran' || event?.type === 'hook.running') && event.hook.on === on
  }
  const comesFor = ({ on, itemId }: HookMoment) => {
    for (const event of eventsFrom(log)) {
      if (event.type === 'hook.ran' && event.hook.on === on && event.itemId === itemId) return true
      if (event.type === 'item.completed' && event.item.id === itemId) return false
    }
    return false
  }
  const has = (moment: HookMoment) => (moment.on === 'PreToolUse' ? comesFor(moment) : isNext(moment))
  return {
    begun: false,
    begin: () => (isNext({ on: 'SessionStart', subject: '' }) ? { on: 'SessionStart', subject: '' } : null),
    hasBegun: () => undefined,
    has,
    started: () => [],
    takeLeft: () => [],
    async *run(moment, _input, signal) {
      await wait.until(() => (has(moment) ? null : true), signal)
    },
  }
}
