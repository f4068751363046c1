import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Recording } from './log/read-recording.ts'
import { createReplayedLog, type ReplayDifference, type ReplayedLog } from './log/replayed-log.ts'
import { createCourse, type ReplayCourse } from './replay-course.ts'
import type { ReplayPorts } from './tools-of-log.ts'

export interface Replay {
  /** Number of events of the log, without pieces of streamed text. */
  readonly events: number
  /** Number of events that the engine made again, equal to the log's. */
  readonly compared: number
  /** Number of requests to the model with an equal hash. */
  readonly hashes: number
  /** Number of requests without a hash in the log, from earlier programs. */
  readonly unhashed: number
  /** In the order of the log; later ones may follow from the first. */
  readonly differences: readonly ReplayDifference[]
  /** Number of events at the end that were not looked at any more. */
  readonly left: number
  /** Sentences on what could not be replayed. */
  readonly notes: readonly string[]
}

/** Runs the engine on a recording, from its first event to the last. After a difference it goes on from the state that the log has. */
export async function replayRecording(recording: Recording, ports: ReplayPorts): Promise<Replay> {
  const log = createReplayedLog(recording)
  const course = createCourse(log, recording, ports)
  course.begin()
  await finished(log, course)
  course.end()
  return {
    events: log.events.length,
    compared: log.comparison.checked.compared,
    hashes: log.comparison.checked.hashes,
    unhashed: unhashedBefore(log),
    differences: log.comparison.differences,
    left: log.events.length - log.at,
    notes: [...notesOn(recording), ...notesOnFields(log.comparison.checked.added)],
  }
}

function unhashedBefore({ events, at }: ReplayedLog): number {
  return events.slice(0, at).filter(({ event }) => event.type === 'model.requested' && event.request === undefined)
    .length
}

/** Resolves when the log has ended. An engine that does not make the next event of the log is a difference. */
async function finished(log: ReplayedLog, course: ReplayCourse): Promise<void> {
  const patience = createPatience()
  while (!log.comparison.ended) {
    if (log.comparison.differs) course.passOver()
    await nextTurn()
    const found = patience.look(log.at, course.isRunning)
    if (found === 'goes on' || log.comparison.ended || (found === 'rests' && course.giveLeft())) continue
    const type = log.next?.event.type ?? 'nothing'
    log.comparison.differ(
      `The log has ${type} here; the replay ${found === 'waits' ? 'waits' : 'has nothing more to do'}.`,
    )
  }
}

/** Time without an event after which an engine that still runs counts as stuck, in ms. */
const patienceMs = 5000
/** Most of that time that one turn of the event loop counts for: on a busy machine the engine stood still, too. */
const turnMs = 50
/** Turns of the event loop after which an engine that does not run has nothing more to do. */
const idleTurns = 20

/** Watches the place of a replay, turn by turn of the event loop. */
function createPatience() {
  let place = -1
  let waitedMs = 0
  let lastMs = performance.now()
  let idle = 0
  return {
    look(at: number, isRunning: boolean): 'goes on' | 'rests' | 'waits' {
      const nowMs = performance.now()
      waitedMs += Math.min(turnMs, nowMs - lastMs)
      lastMs = nowMs
      if (at !== place) {
        place = at
        waitedMs = 0
        idle = 0
        return 'goes on'
      }
      idle = isRunning ? 0 : idle + 1
      if (idle >= idleTurns) return 'rests'
      return waitedMs < patienceMs ? 'goes on' : 'waits'
    },
  }
}

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
