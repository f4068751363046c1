import { decodeLine } from '@parley/journal'
import type { ConversationEvent, Envelope } from '@parley/protocol'
import type { Ids } from '../../ports/clock-and-ids.ts'
import { createComparison, type EventComparison, type EventDifference } from './compare-events.ts'
import { isTakenUp } from './outside-events.ts'
import { eventsFrom, type LogPosition, type RecordedEvent, type Recording } from './read-recording.ts'
import type { ReplayWait } from './replay-wait.ts'

/** Difference between a log and its replay. */
export interface ReplayDifference extends Partial<EventDifference> {
  readonly seq: number
  readonly what: string
}

/** Thrown into an engine that has nothing more to record. */
export class ReplayEndedError extends Error {
  override readonly name = 'ReplayEndedError'
}

/** Position of a replay in its log. */
export interface ReplayPosition extends LogPosition {
  readonly next: RecordedEvent | undefined
}

/** Differences of a replay from its log, one at a time. */
interface ReplayComparison {
  readonly differences: readonly ReplayDifference[]
  /** True from a difference on until the replay goes on after it. */
  readonly differs: boolean
  readonly checked: Pick<EventComparison, 'compared' | 'hashes' | 'added'>
  readonly ended: boolean
  /** Notes a difference. The replay ends after `mostDifferences`. */
  differ(what: string, where?: EventDifference): void
  /** Ends the replay with a difference. */
  end(what: string): void
  /** Goes on after a difference. */
  goOn(): void
}

/** Log of a replay. The engine's own events are compared with it one by one, in order. */
export interface ReplayedLog extends ReplayPosition {
  readonly comparison: ReplayComparison
  /** Takes lines that the engine records. Throws while the log differs, and once it has ended. */
  take(lines: readonly string[]): void
  /** Takes the events that `record` records as given, without a comparison. */
  give(record: () => void): void
  /** Events of a write that a crash cut: they are in the log and missing in the engine's state. */
  readonly cutOff: readonly Envelope[]
  /** Calls the listeners: the engine has gone on without an event. */
  touch(): void
  /** Calls `listener` after each change of the position, and once the replay ends. */
  subscribe(listener: () => void): void
  /** Returns the number that the replay has given to the newest event up to a number of the log. */
  replayedSeq(seq: number): number
  /** Ids of the log, in the order of the engine's requests for them. */
  readonly ids: Ids
}

/** Maximum of named differences: one cause may have hundreds, and an engine that is stuck takes seconds. */
const mostDifferences = 20

export function createReplayedLog(recording: Recording): ReplayedLog {
  const { events, conversationId } = recording
  const { touch, subscribe } = createListeners()
  const replayedSeqs: number[] = []
  const used = createIds(recording, () => at)
  let at = 0
  const given = createSwitch()
  let cutOff: Envelope[] = []
  const comparison = compareInOrder(() => events[at]?.seq ?? null, touch)

  function takeOne(seq: number, event: ConversationEvent): void {
    if (event.type === 'item.delta' || event.type === 'item.progress') return
    const recorded = events[at]
    if (recorded === undefined || comparison.differs) throw new ReplayEndedError('The replay has ended.')
    if (!given.isOn() && isTakenUp(recording, at)) queueMicrotask(touch)
    if (!given.isOn() && isTakenUp(recording, at)) throw new ReplayEndedError('The process of the log had ended here.')
    const where = given.isOn() ? null : comparison.checked.differenceOf(recorded.event, event)
    if (where !== null) {
      comparison.differ(whatDiffers(recorded.event, event), where)
      throw new ReplayEndedError('The replay differs from its log.')
    }
    used.use(recorded.event)
    replayedSeqs.push(seq)
    at++
  }

  return {
    events,
    get at() {
      return at
    },
    get next() {
      return events[at]
    },
    comparison,
    get cutOff() {
      return cutOff
    },
    take(lines) {
      cutOff = []
      for (const text of lines) {
        const line = decodeLine(text)
        if (line === null) continue
        const event = line.event as ConversationEvent // narrowed: the engine has just made it
        takeOne(line.seq, event)
        cutOff.push({ conversationId, seq: line.seq, at: line.at, event })
      }
      cutOff = []
      used.taken()
      touch()
    },
    give: given.during,
    touch,
    subscribe,
    replayedSeq: (seq) => seqOf(seq, { events, replayedSeqs }),
    ids: used.ids,
  }
}

function createListeners() {
  const listeners = new Set<() => void>()
  return {
    touch(): void {
      for (const listener of listeners) listener()
    },
    subscribe: (listener: () => void) => void listeners.add(listener),
  }
}

/**
 * Creates the comparison of a replay. `seq` returns the number of the next event, null after the last one; `onChange` is
 * called after each difference.
 */
function compareInOrder(seq: () => number | null, onChange: () => void) {
  const differences: ReplayDifference[] = []
  let differs = false
  let isLast = false
  const differ = (what: string, where?: EventDifference) => {
    if (!differs) differences.push({ seq: seq() ?? 0, what, ...where })
    differs = true
    onChange()
  }
  return {
    differences,
    get differs() {
      return differs
    },
    checked: createComparison(),
    get ended() {
      return isLast || differences.length >= mostDifferences || seq() === null
    },
    differ,
    end(what: string): void {
      isLast = true
      differ(what)
    },
    goOn(): void {
      differs = false
    },
  }
}

/** Returns a switch that is on while a function runs. */
function createSwitch() {
  let on = false
  return {
    isOn: () => on,
    during(run: () => void): void {
      on = true
      try {
        run()
      } finally {
        on = false
      }
    },
  }
}

interface Numbered {
  readonly events: readonly RecordedEvent[]
  /** Numbers of the events in the replay. */
  readonly replayedSeqs: readonly number[]
}

function seqOf(seq: number, { events, replayedSeqs }: Numbered): number {
  const index = events.findLastIndex((recorded) => recorded.seq <= seq)
  return replayedSeqs[index] ?? replayedSeqs.at(-1) ?? 0
}

function whatDiffers({ type }: ConversationEvent, replayed: ConversationEvent): string {
  if (replayed.type !== type) return `The log has ${type} here, the replay ${replayed.type}.`
  if (type === 'model.requested') return 'The model was asked something else: the hash of the request differs.'
  return `The log has another ${type} here than the replay.`
}

interface LoggedIds {
  readonly ids: Ids
  /** Marks the ids of an event as used. */
  use(event: ConversationEvent): void
  /** Called when events were recorded: ids that the engine asked for and did not use are given again. */
  taken(): void
}

/** Returns ids of the coming events: the first new one, then the next ones until an event was recorded. */
function createIds({ events, conversationId }: Recording, at: () => number): LoggedIds {
  const used = new Set<string>()
  const asked = { item: 0, turn: 0, approval: 0 }
  let invented = 0

  function nth(kind: keyof typeof asked, idOf: (event: ConversationEvent) => string | null): string {
    const fresh = new Set<string>()
    const wanted = asked[kind]++
    for (const event of eventsFrom({ events, at: at() })) {
      const id = idOf(event)
      if (id !== null && !used.has(id)) fresh.add(id)
      if (fresh.size > wanted) break
    }
    return [...fresh][wanted] ?? `${kind.charAt(0)}-replay-${++invented}`
  }

  return {
    ids: {
      conversation: () => conversationId,
      item: () => nth('item', newItem),
      turn: () => nth('turn', newTurn),
      approval: () => nth('approval', newApproval),
      message: () => `replay-${++invented}`,
      client: () => `c-replay-${++invented}`,
    },
    use(event) {
      for (const id of [newItem(event), newTurn(event), newApproval(event)]) if (id !== null) used.add(id)
    },
    taken() {
      asked.item = 0
      asked.turn = 0
      asked.approval = 0
    },
  }
}

/** Returns ids for one process. Throws once the next process goes on with the log: work of this one that still ends gets no id. */
export function idsWhile(ids: Ids, wait: ReplayWait): Ids {
  const once =
    <Id>(next: () => Id) =>
    () => {
      if (wait.isAbandoned) throw new ReplayEndedError('The process of the log had ended before.')
      return next()
    }
  return {
    conversation: ids.conversation,
    item: once(ids.item),
    turn: once(ids.turn),
    approval: once(ids.approval),
    message: once(ids.message),
    client: once(ids.client),
  }
}

function newItem(event: ConversationEvent): string | null {
  return event.type === 'item.started' || event.type === 'item.completed' ? event.item.id : null
}

function newTurn(event: ConversationEvent): string | null {
  return event.type === 'turn.started' ? event.turnId : null
}

function newApproval(event: ConversationEvent): string | null {
  return event.type === 'approval.requested' ? event.approval.id : null
}
