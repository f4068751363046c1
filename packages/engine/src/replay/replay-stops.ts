import { isCall } from '@parley/protocol'
import { type AbortReason, notStarted, toldWhy } from '../tools/contract/tool.ts'
import { stopAt } from './given-events.ts'
import type { Recording } from './read-recording.ts'
import type { ReplayLife } from './replay-life.ts'
import type { ReplayedLog } from './replayed-log.ts'

/** Stops of the turns of one process, which the log shows by the ends of these turns alone. */
export interface LifeStops {
  /** Returns how a turn is stopped at the place of the log; null where it is not, or not yet. */
  here(): AbortReason | null
  /** Stops a turn, once. */
  stop(how: AbortReason): void
  /** True once the last turn of the process has ended, which it ended as it left. */
  readonly haveEnded: boolean
}

interface StopParts {
  readonly log: ReplayedLog
  readonly recording: Recording
  readonly onFault: (fault: unknown) => void
}

export function createStops({ turns, conversation, doing }: ReplayLife, parts: StopParts): LifeStops {
  const { log, recording, onFault } = parts
  const stopped = new Set<string>()
  /** Turn that the process ends as it leaves; null while it goes on. */
  let last: string | null = null

  /** Tells if a call that was stopped while it ran does run. */
  function mayStop(): boolean {
    const event = log.next?.event
    if (event?.type !== 'item.completed' || !isCall(event.item)) return true
    const { id, modelText } = event.item
    const open = conversation.state.core.open[id]
    return open?.executionStarted !== true || modelText === notStarted.modelText || doing.runs.has(id)
  }

  return {
    here() {
      const how = stopAt(recording, log.at)
      return how !== null && mayStop() ? how : null
    },
    stop(how) {
      const turnId = conversation.state.core.turn?.id ?? ''
      if (stopped.has(turnId)) return
      stopped.add(turnId)
      if (how !== 'shutdown') {
        turns.interrupt(toldWhy(how) ?? undefined)
        return
      }
      last = turnId
      turns.shutDown().catch(onFault)
    },
    get haveEnded() {
      return last !== null && conversation.state.core.turn?.id !== last
    },
  }
}
