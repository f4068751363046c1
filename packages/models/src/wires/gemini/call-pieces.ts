import { isRecord } from '@parley/text'
import { idAt, type JsonRecord, stringAt } from '../json.ts'

/** Call of which pieces have come. */
export interface PendingCall {
  readonly name: string
  /** Id of the API; empty where it gives none. */
  readonly id: string
  /** Part that the call began with, whose signature goes back with the whole call. */
  readonly part: JsonRecord
  readonly args: JsonRecord
}

/** Tells a piece of a call from a whole one, which has its name and all arguments. */
export function isPiece(call: JsonRecord): boolean {
  return (stringAt(call, 'name') ?? '') === '' || call['partialArgs'] !== undefined || call['willContinue'] === true
}

/** Tells if a piece belongs to a call that has begun: it has no name, or the id of that call. */
export function continues(call: JsonRecord, pending: PendingCall): boolean {
  if ((stringAt(call, 'name') ?? '') === '') return true
  return pending.id !== '' && idAt(call, 'id') === pending.id
}

/** Begins a call with its first piece; null for a piece without a name, of which no beginning came. */
export function beginCall(part: JsonRecord, call: JsonRecord): PendingCall | null {
  const name = stringAt(call, 'name') ?? ''
  return name === '' ? null : addPiece({ name, id: idAt(call, 'id'), part, args: {} }, part, call)
}

/** Adds a piece; null for one whose arguments have no place in the call. */
export function addPiece(pending: PendingCall, part: JsonRecord, call: JsonRecord): PendingCall | null {
  const { partialArgs, args } = call
  const pieces = Array.isArray(partialArgs) ? partialArgs : []
  let grown: Placed = { value: isRecord(args) ? { ...pending.args, ...args } : pending.args }
  for (const piece of pieces) {
    const value = isRecord(piece) ? valueIn(piece) : undefined
    const steps = isRecord(piece) ? stepsOf(stringAt(piece, 'jsonPath') ?? '') : null
    const next = value === undefined || steps === null ? null : placed(grown.value, steps, value)
    if (next === null) return null
    grown = next
  }
  const signed = pending.part['thoughtSignature'] === undefined ? part['thoughtSignature'] : undefined
  return {
    ...pending,
    args: isRecord(grown.value) ? grown.value : pending.args,
    part: signed === undefined ? pending.part : { ...pending.part, thoughtSignature: signed },
  }
}

/** Returns the value of a piece; undefined for none. */
function valueIn(piece: JsonRecord): string | number | boolean | null | undefined {
  if ('nullValue' in piece) return null
  const { stringValue, numberValue, boolValue } = piece
  if (typeof stringValue === 'string') return stringValue
  if (typeof numberValue === 'number') return numberValue
  return typeof boolValue === 'boolean' ? boolValue : undefined
}

type Step = string | number

const stepForm = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/y

/** Returns the steps of a path such as `$.foo[0]['a b']`, which names one place; null for any other. */
function stepsOf(path: string): readonly Step[] | null {
  if (!path.startsWith('$')) return null
  const steps: Step[] = []
  for (let at = 1; at < path.length; at = stepForm.lastIndex) {
    stepForm.lastIndex = at
    const found = stepForm.exec(path)
    if (found === null) return null
    const [, name, index, single, double] = found
    steps.push(index === undefined ? (name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')) : Number(index))
  }
  return steps.length === 0 ? null : steps
}

interface Placed {
  readonly value: unknown
}

/** Puts a value in its place: a string behind the string there, anything else instead. Null where no such place can be. */
function placed(at: unknown, [step, ...rest]: readonly Step[], value: unknown): Placed | null {
  if (step === undefined) return { value: typeof at === 'string' && typeof value === 'string' ? at + value : value }
  const left = { rest, value }
  if (typeof step === 'number') return inList(at === undefined ? [] : at, step, left)
  return inRecord(at === undefined ? {} : at, step, left)
}

function inList(at: unknown, index: number, { rest, value }: Rest): Placed | null {
  const list: readonly unknown[] = Array.isArray(at) ? at : []
  if (!Array.isArray(at) || index > list.length) return null
  const inner = placed(list[index], rest, value)
  return inner === null ? null : { value: list.toSpliced(index, 1, inner.value) }
}

function inRecord(at: unknown, name: string, { rest, value }: Rest): Placed | null {
  if (!isRecord(at)) return null
  const inner = placed(Object.hasOwn(at, name) ? at[name] : undefined, rest, value)
  return inner === null ? null : { value: { ...at, [name]: inner.value } }
}

/** Steps that are left, and the value for the place they lead to. */
interface Rest {
  readonly rest: readonly Step[]
  readonly value: unknown
}
