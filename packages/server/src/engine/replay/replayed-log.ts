import { decodeLine } from '@parley/journal'
import type { ConversationEvent, Envelope } from '@parley/protocol'
import type { Ids } from '../../ports/clock-and-ids.ts'
import { createComparison, type EventComparison, type EventDifference } from './compare-events.ts'
import { isTakenUp } from './given-events.ts'
import { eventsFrom, type RecordedEvent, type Recording } from './read-recording.ts'

/** First difference between a log and its replay. */
export interface ReplayDifference extends Partial<EventDifference> {
  readonly seq: number
  readonly what: string
}

/** Thrown into an engine that has nothing more to record. */
export class ReplayEndedError extends Error {
  override readonly name = 'ReplayEndedError'
}

/** Place of a replay in its log. The engine's own events are compared there one by one, in order. */
export interface ReplayedLog {
  readonly events: readonly RecordedEvent[]
  /** Index of the next event. */
  readonly at: number
  readonly next: RecordedEvent | undefined
  readonly difference: ReplayDifference | null
  readonly checked: Pick<EventComparison, 'compared' | 'hashes' | 'added'>
  readonly ended: boolean
  /** Takes lines that the engine records. Throws once the log has ended or differs. */
  take(lines: readonly string[]): void
  /** Takes what `record` records as given, without comparing it. */
  give(record: () => void): void
  differ(what: string, found?: EventDifference): void
  /** Events of a write that a crash cut: the log has them, and the engine's state has not. */
  readonly cutOff: readonly Envelope[]
  /** Calls the listeners: the engine has gone on without an event. */
  touch(): void
  /** Calls `listener` after each change of the place, and once it ends. */
  subscribe(listener: () => void): void
  /** Returns the number that the replay has given to the newest event up to a number of the log. */
  replayedSeq(seq: number): number
  /** Ids of the log, in the order in which the engine asked for them then. */
  readonly ids: Ids
}

export function createReplayedLog(recording: Recording): ReplayedLog {
  const { events, conversationId } = recording
  const checked = createComparison()
  const listeners = new Set<() => void>()
  const replayedSeqs: number[] = []
  const ids = createIds(events, () => at)
  let at = 0
  const given = createSwitch()
  let cutOff: Envelope[] = []
  let difference: ReplayDifference | null = null

  function touch(): void {
    for (const listener of listeners) listener()
  }

  function differ(what: string, found?: EventDifference): void {
    difference ??= { seq: events[at]?.seq ?? 0, what, ...found }
    touch()
  }

  function takeOne(seq: number, event: ConversationEvent): void {
    if (event.type === 'item.delta' || event.type === 'item.progress') return
    const recorded = events[at]
    if (recorded === undefined || difference !== null) throw new ReplayEndedError('The replay has ended.')
    if (!given.isOn() && isTakenUp(recording, at)) queueMicrotask(touch)
    if (!given.isOn() && isTakenUp(recording, at)) throw new ReplayEndedError('The process of the log had ended here.')
    const found = given.isOn() ? null : checked.differenceOf(recorded.event, event)
    if (found !== null) {
      differ(whatDiffers(recorded.event, event), found)
      throw new ReplayEndedError('The replay differs from its log.')
    }
    ids.use(recorded.event)
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
    get difference() {
      return difference
    },
    checked,
    get cutOff() {
      return cutOff
    },
    get ended() {
      return difference !== null || at >= events.length
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
      ids.taken()
      touch()
    },
    give: given.during,
    differ,
    touch,
    subscribe: (listener) => void listeners.add(listener),
    replayedSeq: (seq) => seqOf(seq, { events, replayedSeqs }),
    ids: { ...ids, conversation: () => conversationId },
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

interface LoggedIds extends Omit<Ids, 'conversation'> {
  /** Marks the ids of an event as used. */
  use(event: ConversationEvent): void
  /** Called when events were recorded: ids that the engine asked for and did not use are given again. */
  taken(): void
}

/** Returns ids of the events to come: the first that is new there, then the next while none was recorded. */
function createIds(events: readonly RecordedEvent[], at: () => number): LoggedIds {
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
    item: () => nth('item', newItem),
    turn: () => nth('turn', newTurn),
    approval: () => nth('approval', newApproval),
    message: () => `replay-${++invented}`,
    client: () => `c-replay-${++invented}`,
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

function newItem(event: ConversationEvent): string | null {
  return event.type === 'item.started' || event.type === 'item.completed' ? event.item.id : null
}

function newTurn(event: ConversationEvent): string | null {
  return event.type === 'turn.started' ? event.turnId : null
}

function newApproval(event: ConversationEvent): string | null {
  return event.type === 'approval.requested' ? event.approval.id : null
}
