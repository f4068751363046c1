import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ConversationEvent, isCall } from '@parley/protocol'
import { type AbortReason, notStarted, toldWhy } from '../../tools/tool.ts'
import { foreignYes } from '../calls/advance-call.ts'
import { givenEventsAt, isTakenUp, stopAt } from './given-events.ts'
import type { LiveTools } from './live/live-tools.ts'
import type { Recording } from './read-recording.ts'
import { beginLife, type ReplayLife } from './replay-life.ts'
import { type ReplayPorts, replaySeal } from './replay-modules.ts'
import { createReplayedLog, type ReplayDifference, ReplayEndedError, type ReplayedLog } from './replayed-log.ts'

export interface Replay {
  /** Number of events of the log, without pieces of streamed text. */
  readonly events: number
  /** Number of those that the engine made again, equal to the log's. */
  readonly compared: number
  /** Number of requests to the model whose hash is equal. */
  readonly hashes: number
  /** Number of requests without a hash in the log, from earlier programs. */
  readonly unhashed: number
  readonly difference: ReplayDifference | null
  /** Sentences on what could not be replayed. */
  readonly notes: readonly string[]
}

/** Time without an event after which an engine that still runs counts as stuck, in ms. */
const patienceMs = 5000
/** Most of that time that one turn of the event loop counts for: on a busy machine the engine stood still, too. */
const turnMs = 50

/** Runs the engine on a recording, from its first event to the last or to the first difference. */
export async function replayRecording(recording: Recording, ports: ReplayPorts): Promise<Replay> {
  const log = createReplayedLog(recording)
  const course = createCourse(log, recording, ports)
  course.begin()
  await finished(log, course, ports.live)
  course.end()
  return {
    events: log.events.length,
    compared: log.checked.compared,
    hashes: log.checked.hashes,
    unhashed: unhashedBefore(log),
    difference: log.difference,
    notes: [...notesOn(recording), ...notesOnFields(log.checked.added)],
  }
}

function unhashedBefore({ events, at }: ReplayedLog): number {
  return events.slice(0, at).filter(({ event }) => event.type === 'model.requested' && event.request === undefined)
    .length
}

/** Gives the engine what came from outside, at its place, and starts it anew where another process took it up. */
interface Course {
  begin(): void
  /** Tells if the engine of now has a step to do. */
  readonly isRunning: boolean
  /** Gives the context that a step recorded after its turn had ended. Returns false where none comes next. */
  giveContext(): boolean
  end(): void
}

function createCourse(log: ReplayedLog, recording: Recording, ports: ReplayPorts): Course {
  const onFault = (fault: unknown) => {
    if (!(fault instanceof ReplayEndedError)) log.differ(`The engine failed: ${String(fault)}`)
  }
  const start = (before: ReplayLife | null) => beginLife({ log, recording, before, onFault }, ports)
  const stopped = new Set<string>()
  let life = start(null)
  let isClosed = false

  function next(): void {
    life.wait.abandon()
    life = start(life)
    isClosed = false
  }

  function give(from: number, count: number): void {
    const events = log.events.slice(from, from + count).map(({ event }) => event)
    if (isClosed || isTakenUp(recording, from)) next()
    log.give(() => life.conversation.recordAll(events.map((event) => asGiven(event, log))))
    isClosed = events.some(({ type }) => type === 'turn.parked')
    life.turns.wake()
  }

  function stop(how: AbortReason): void {
    const turnId = life.conversation.state.core.turn?.id ?? ''
    if (stopped.has(turnId)) return
    stopped.add(turnId)
    if (how !== 'shutdown') life.turns.interrupt(toldWhy(how) ?? undefined)
    else life.turns.shutDown().then(() => (isClosed = true), onFault)
  }

  /** Tells if a call that was stopped while it ran does run. */
  function mayStop(): boolean {
    const event = log.next?.event
    if (event?.type !== 'item.completed' || !isCall(event.item)) return true
    const { id, modelText } = event.item
    const open = life.conversation.state.core.open[id]
    return open?.executionStarted !== true || modelText === notStarted.modelText || life.runs.has(id)
  }

  function goOn(): void {
    if (log.difference !== null) return
    // The engine writes the first event with the first message, so nothing is given before that.
    const from = log.at === 0 ? 1 : log.at
    const count = givenEventsAt(recording, from, life.conversation.state)
    if (count > 0) {
      give(from, count)
      return
    }
    const how = stopAt(recording, log.at)
    if (how !== null && mayStop()) stop(how)
    life.wait.changed()
  }

  /** Turns a fault in a step, which nobody awaits, into a difference. */
  function goOnSafely(): void {
    try {
      goOn()
    } catch (error) {
      log.differ(`This cannot be recorded again: ${String(error)}`)
    }
  }

  return {
    begin() {
      // After the engine has gone back to the event loop's tasks, as when a client's request came then.
      log.subscribe(() => queueMicrotask(goOnSafely))
      goOnSafely()
    },
    get isRunning() {
      return life.turns.running
    },
    giveContext() {
      if (log.next?.event.type !== 'context.set') return false
      give(log.at, 1)
      return true
    },
    end: () => life.wait.abandon(),
  }
}

/** Returns an event of the log as it is recorded again, with the numbers and the seal of the replay. */
function asGiven(event: ConversationEvent, log: ReplayedLog): ConversationEvent {
  switch (event.type) {
    case 'context.compacted':
      return { ...event, to: log.replayedSeq(event.to) }
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
        event.approval.reason.startsWith(foreignYes),
    )
}

/** Resolves when the log has ended or differs. An engine that makes nothing of what the log has next is a difference. */
async function finished(log: ReplayedLog, course: Course, live?: LiveTools): Promise<void> {
  let place = -1
  let waitedMs = 0
  let lastMs = performance.now()
  let idle = 0
  while (!log.ended) {
    const running = live?.running ?? null
    await (running ?? nextTurn())
    const nowMs = performance.now()
    waitedMs += Math.min(turnMs, nowMs - lastMs)
    lastMs = nowMs
    if (log.at !== place || running !== null) {
      place = log.at
      waitedMs = 0
      idle = 0
      continue
    }
    idle = course.isRunning ? 0 : idle + 1
    if (idle >= idleTurns && !log.ended && course.giveContext()) continue
    if (log.ended || (idle < idleTurns && waitedMs < patienceMs)) continue
    const type = log.next?.event.type ?? 'nothing'
    log.differ(`The log has ${type} here; the replay ${idle < idleTurns ? 'waits' : 'has nothing more to do'}.`)
  }
}

/** Turns of the event loop after which an engine that does not run has nothing more to do. */
const idleTurns = 20

function notesOn({ events, program }: Recording): readonly string[] {
  const notes: string[] = []
  if (events.some(({ event }) => event.type === 'context.compacted' || event.type === 'context.cleared'))
    notes.push('Compactions are taken from the log: when one is due depends on settings that it does not hold.')
  if (!events.some(({ event }) => event.type === 'model.requested' && event.request !== undefined))
    notes.push(`${program} wrote no hashes of its requests, so what the model was asked is not compared.`)
  return notes
}

function notesOnFields(added: readonly string[]): readonly string[] {
  // Requests without a hash are counted by themselves.
  const fields = added.filter((field) => field !== 'request')
  return fields.length === 0
    ? []
    : [`An earlier program wrote the log; not compared, as it lacks them: ${fields.join(', ')}.`]
}
