import type { CallItem, ConversationEvent, Item } from '@parley/protocol'

/** A call of the model on its way: as far as this small engine knows, which is less than the reducer. */
export interface Call {
  readonly item: CallItem
  /** `asking`: begun, and what runs waits for the user's answer. */
  readonly stage: 'proposed' | 'asked' | 'approved' | 'begun' | 'asking'
  /** Id of the approval that is asked or approved, or that a running call asks. */
  readonly approvalId: string
  readonly attempt: number
}

export interface Turn {
  readonly id: string
  readonly phase: 'start' | 'model' | 'retry' | 'calls'
  readonly message: Item | null
  readonly calls: readonly Call[]
  readonly attempt: number
  readonly parked: boolean
}

/** State that an engine must keep to write a log that could be real. */
export interface Engine {
  /** Ids given so far; each is new. */
  readonly ids: number
  readonly turn: Turn | null
  readonly inbox: readonly string[]
  readonly shells: readonly Item[]
}

/** Random choices of one step. */
export interface Choice {
  readonly pick: number
  readonly count: number
  readonly flag: boolean
  readonly text: string
}

export interface Step {
  readonly engine: Engine
  readonly events: readonly ConversationEvent[]
}

/** Returns null when the engine could not do this now. */
export type Move = (engine: Engine, choice: Choice) => Step | null

export const newEngine: Engine = { ids: 0, turn: null, inbox: [], shells: [] }

export function newId(engine: Engine, kind: string): { id: string; engine: Engine } {
  return { id: `${kind}${engine.ids}`, engine: { ...engine, ids: engine.ids + 1 } }
}

/** A move within a turn that nobody has parked. */
export function inTurn(move: (turn: Turn, engine: Engine, choice: Choice) => Step | null): Move {
  return (engine, choice) => (engine.turn === null || engine.turn.parked ? null : move(engine.turn, engine, choice))
}

export function withTurn(engine: Engine, turn: Turn, change: Partial<Turn>): Engine {
  return { ...engine, turn: { ...turn, ...change } }
}

/** Returns one of them at random. */
export function chosen<Value>(values: readonly Value[], { count }: Choice): Value | undefined {
  return values[count % Math.max(1, values.length)]
}
