import { isRecord } from '@parley/text'
import { idAt, type JsonRecord, stringAt } from '../json.ts'

/** Call with some of its pieces. */
export interface PendingCall {
  readonly name: string
  /** Id of the API; empty where it gives no id. */
  readonly id: string
  /** First part of the call; its signature goes back with the whole call. */
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

/** Begins a call with its first piece; null for a piece without a name, which needs a beginning. */
export function beginCall(part: JsonRecord, call: JsonRecord): PendingCall | null {
  const name = stringAt(call, 'name') ?? ''
  return name === '' ? null : addPiece({ name, id: idAt(call, 'id'), part, args: {} }, part, call)
}

/** Adds a piece; null where its path leads to no place in the arguments. */
export function addPiece(pending: PendingCall, part: JsonRecord, call: JsonRecord): PendingCall | null {
  const { partialArgs, args } = call
  const pieces = Array.isArray(partialArgs) ? partialArgs : []
  let grown: unknown = isRecord(args) ? { ...pending.args, ...args } : pending.args
  for (const piece of pieces) {
    const value = isRecord(piece) ? valueIn(piece) : undefined
    const steps = isRecord(piece) ? stepsOf(stringAt(piece, 'jsonPath') ?? '') : null
    if (value === undefined || steps === null) return null
    grown = withValue(grown, steps, value)
    if (grown === undefined) return null
  }
  const signed = pending.part['thoughtSignature'] === undefined ? part['thoughtSignature'] : undefined
  return {
    ...pending,
    args: isRecord(grown) ? grown : pending.args,
    part: signed === undefined ? pending.part : { ...pending.part, thoughtSignature: signed },
  }
}

/** Returns the value of a piece; undefined for a piece without a value. */
function valueIn(piece: JsonRecord): string | number | boolean | null | undefined {
  if ('nullValue' in piece) return null
  const { stringValue, numberValue, boolValue } = piece
  if (typeof stringValue === 'string') return stringValue
  if (typeof numberValue === 'number') return numberValue
  return typeof boolValue === 'boolean' ? boolValue : undefined
}

type PathStep = string | number

const stepForm = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/y

/** Returns the steps of a path such as `$.foo[0]['a b']`, which names one place; null for any other. */
function stepsOf(path: string): readonly PathStep[] | null {
  if (!path.startsWith('$')) return null
  const steps: PathStep[] = []
  for (let at = 1; at < path.length; at = stepForm.lastIndex) {
    stepForm.lastIndex = at
    const found = stepForm.exec(path)
    if (found === null) return null
    const [, name, index, single, double] = found
    steps.push(index === undefined ? (name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')) : Number(index))
  }
  return steps.length === 0 ? null : steps
}

/**
 * Returns `at` with a value at the end of a path; a string is added to the string there, any other value replaces.
 * Undefined where the path leads through another kind of value or past the end of a list.
 */
function withValue(at: unknown, [step, ...rest]: readonly PathStep[], value: unknown): unknown {
  if (step === undefined) return typeof at === 'string' && typeof value === 'string' ? at + value : value
  if (typeof step === 'number') {
    const list: unknown = at === undefined ? [] : at
    if (!Array.isArray(list) || step > list.length) return undefined
    const inner = withValue(list[step], rest, value)
    return inner === undefined ? undefined : list.toSpliced(step, 1, inner)
  }
  const record: unknown = at === undefined ? {} : at
  if (!isRecord(record)) return undefined
  const inner = withValue(Object.hasOwn(record, step) ? record[step] : undefined, rest, value)
  return inner === undefined ? undefined : { ...record, [step]: inner }
}
