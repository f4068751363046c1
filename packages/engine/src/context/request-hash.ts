import { createHash, type Hash } from 'node:crypto'
import { foldGrowing, type ModelEntry } from '@parley/models'
import { modelInUse } from '@parley/protocol'
import { piecesOf } from '@parley/text'
import type { Conversation } from '../conversation/conversation.ts'

/**
 * Returns the hash of the next request to the model, as log and side files determine it: without the output limit, which
 * is configured, and ids, which a fork changes.
 */
export function requestHash(conversation: Conversation): string {
  const { state, view, sideFiles } = conversation
  const { settings, context, turn } = state.core
  const stored = (file: string | undefined) =>
    file === undefined || sideFiles.readText(file) === null ? missing : file
  // The JSON of one object is hashed, with its keys in order: effort and entries are the first.
  const laterFields = {
    model: modelInUse({ settings, turn }).model,
    instructions: stored(context?.instructions),
    tools: stored(context?.tools),
    outputSchema: turn?.outputSchema ?? null,
  }
  const effort = JSON.stringify(settings.effort ?? null)
  const { hash } = digestsFor(conversation, effort)(view.request.entries(sideFiles))
  const rest = [...jsonPieces(laterFields)].join('').slice(1)
  return `sha256:${hash.copy().update(`],${rest}`).digest('hex')}`
}

/** Hash of a request up to its newest entry. */
interface Digests {
  readonly hash: Hash
  count: number
}

type HashEntries = (entries: readonly ModelEntry[]) => Digests

const hashed = new WeakMap<Conversation, { readonly effort: string; readonly hashEntries: HashEntries }>()

/** Returns the function that hashes the entries of a conversation, from where it was after the last request. */
function digestsFor(conversation: Conversation, effort: string): HashEntries {
  const known = hashed.get(conversation)
  if (known?.effort === effort) return known.hashEntries
  const hashEntries = foldGrowing<ModelEntry, Digests>(
    () => ({ hash: createHash('sha256').update(`{"effort":${effort},"entries":[`), count: 0 }),
    (digests, entry) => {
      digests.hash.update(`${digests.count === 0 ? '' : ','}"${digestOf(entry)}"`)
      digests.count += 1
    },
  )
  hashed.set(conversation, { effort, hashEntries })
  return hashEntries
}

/** Stands for a side file that cannot be read; the request has a sentence about it in its place. */
const missing = 'missing'

function digestOf(value: unknown): string {
  const hash = createHash('sha256')
  for (const piece of jsonPieces(value)) hash.update(piece)
  return hash.digest('hex')
}

/** Characters of a text that are written at once. */
const pieceLength = 64 * 1024

/**
 * Yields the JSON of a value in pieces, as `JSON.stringify` would with the keys of objects in order: the order of code does
 * not matter. A long text is never copied whole.
 */
export function* jsonPieces(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string') yield* textPieces(value)
  else if (Array.isArray(value)) yield* listPieces(value)
  else if (typeof value === 'object' && value !== null) yield* fieldPieces(value)
  else yield JSON.stringify(value) ?? 'null'
}

/** Copies an object with its keys in order; names of integers come first, as in every object. */
function inOrder(fields: object): object {
  return Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function* listPieces(values: readonly unknown[]): Generator<string, void, undefined> {
  yield '['
  for (const [index, value] of values.entries()) {
    if (index > 0) yield ','
    yield* jsonPieces(value)
  }
  yield ']'
}

function* fieldPieces(fields: object): Generator<string, void, undefined> {
  const present = Object.entries(inOrder(fields)).filter(([, value]) => value !== undefined)
  yield '{'
  for (const [index, [key, value]] of present.entries()) {
    yield `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`
    yield* jsonPieces(value)
  }
  yield '}'
}

function* textPieces(text: string): Generator<string, void, undefined> {
  if (text.length <= pieceLength) return yield JSON.stringify(text)
  yield '"'
  // Half of a character would be escaped.
  for (const piece of piecesOf(text, pieceLength)) yield JSON.stringify(piece).slice(1, -1)
  yield '"'
}
