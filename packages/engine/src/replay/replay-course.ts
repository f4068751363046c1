import { type ConversationEvent, isCall } from '@parley/protocol'
import { type AbortReason, notStarted, toldWhy } from '../tools/contract/tool.ts'
import { givenEventsAt, givenInTime, isTakenUp, startAfter, stopAt } from './log/outside-events.ts'
import type { Recording } from './log/read-recording.ts'
import { ReplayEndedError, type ReplayedLog } from './log/replayed-log.ts'
import { replaySeal } from './ports/replayed-redaction.ts'
import { beginLife, type ReplayLife } from './replay-life.ts'
import type { ReplayPorts } from './tools-of-log.ts'

/** Gives the engine what came from outside, at its place, and starts it anew where another process took it up. */
export interface ReplayCourse {
  begin(): void
  /** Tells if the engine has a step to do. */
  readonly isRunning: boolean
  /** Gives an engine at rest the next held events, or a context recorded after its turn. Returns false when neither comes next. */
  giveLeft(): boolean
  /** Takes a part that differs from the log as it is, and starts the engine anew after it. */
  passOver(): void
  end(): void
}

export function createCourse(log: ReplayedLog, recording: Recording, ports: ReplayPorts): ReplayCourse {
  const onFault = (fault: unknown) => {
    if (!(fault instanceof ReplayEndedError)) log.comparison.differ(`The engine failed: ${String(fault)}`)
  }
  const start = (before: ReplayLife | null) => {
    const begun = beginLife({ log, recording, before, onFault }, ports)
    const { conversation, turns, wait, doing } = begun
    return { conversation, turns, wait, doing, stops: createStops(begun, { log, recording, onFault }) }
  }
  let life = start(null)
  let isParked = false
  /** Place at which the engine was last left to come to rest. */
  let restedAt = -1

  function next(): void {
    life.wait.abandon()
    life = start(life)
    isParked = false
  }

  function give(from: number, count: number): void {
    const events = log.events.slice(from, from + count).map(({ event }) => event)
    if (isParked || life.stops.haveEnded || isTakenUp(recording, from)) next()
    log.give(() => life.conversation.recordAll(events.map((event) => asGiven(event, log))))
    isParked = events.some(({ type }) => type === 'turn.parked')
    const how = givenEventsAt(recording, log.at, life.conversation.state) > 0 ? null : life.stops.here()
    // An engine that is at rest ends a turn only where it runs before it is told to leave.
    if (how !== null && how !== 'shutdown') life.stops.stop(how)
    else life.turns.wake()
  }

  /** Tells if the engine has yet to come to rest after a turn, as it had when a message came then. */
  function mustRest(): boolean {
    if (restedAt === log.at || !life.turns.running || life.conversation.state.core.turn !== null) return false
    restedAt = log.at
    return true
  }

  function goOn(): void {
    if (log.comparison.differs) return
    // The engine writes the first event with the first message, so nothing is given before that.
    const from = log.at === 0 ? 1 : log.at
    const count = givenEventsAt(recording, from, life.conversation.state)
    if (count > 0 && mustRest()) {
      setImmediate(goOnSafely)
      return
    }
    const inTime = life.doing.asksModel ? count : givenInTime(recording, from, count)
    if (inTime > 0) {
      give(from, inTime)
      return
    }
    const how = count > 0 ? null : life.stops.here()
    if (how !== null) life.stops.stop(how)
    life.wait.changed()
  }

  // Nobody awaits a step.
  const goOnSafely = () => attempt(goOn, log.comparison.differ)

  return {
    begin() {
      // After the engine has gone back to the event loop's tasks, as when a client's request came then.
      log.subscribe(() => queueMicrotask(goOnSafely))
      goOnSafely()
    },
    get isRunning() {
      return life.turns.running
    },
    giveLeft() {
      const held = givenEventsAt(recording, log.at, life.conversation.state)
      const count = held === 0 && log.next?.event.type === 'context.set' ? 1 : held
      if (count > 0) give(log.at, count)
      return count > 0
    },
    passOver() {
      const from = log.at
      next()
      log.comparison.goOn()
      attempt(() => give(from, startAfter(recording, from) - from), log.comparison.end)
    },
    end: () => life.wait.abandon(),
  }
}

/** Turns a fault of events that cannot be recorded into a difference. */
function attempt(run: () => void, differ: (what: string) => void): void {
  try {
    run()
  } catch (error) {
    differ(`This cannot be recorded again: ${String(error)}`)
  }
}

/** Returns an event of the log as it is recorded again, with the numbers and the seal of the replay. */
function asGiven(event: ConversationEvent, log: ReplayedLog): ConversationEvent {
  switch (event.type) {
    case 'context.compacted':
      return { ...event, to: log.replayedSeq(event.to) }
    case 'context.cleared':
      return event.seqs === undefined ? event : { ...event, seqs: event.seqs.map(log.replayedSeq) }
    case 'context.restored':
      return { ...event, seq: log.replayedSeq(event.seq) }
    case 'approval.decided':
      return asksAnew(event.approvalId, log) ? event : { ...event, seal: replaySeal }
    default:
      return event
  }
}

/** Tells if the log asks again after this answer because another home had given it. */
function asksAnew(approvalId: string, { events, at }: ReplayedLog): boolean {
  const asked = events.find(({ event }) => event.type === 'approval.requested' && event.approval.id === approvalId)
  if (asked?.event.type !== 'approval.requested') return false
  const { itemId } = asked.event.approval
  return events
    .slice(at)
    .some(
      ({ event }) =>
        event.type === 'approval.requested' &&
        event.approval.itemId === itemId &&
        event.approval.askedAgain === 'foreignAnswer',
    )
}

/** Stops of the turns of one process. The log shows them only by the ends of these turns. */
interface LifeStops {
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

function createStops({ turns, conversation, doing }: ReplayLife, parts: StopParts): LifeStops {
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
    // A tool that began and then did nothing has a text of its own: its call has to run first.
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
