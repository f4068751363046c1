import { isRecord, parseRecord, wholeEscapes } from '@parley/text'
import * as z from 'zod'
import { type JsonRecord, lazily, recordAt } from '../json.ts'
import { readableArguments } from '../tool-calls.ts'
import type { WrittenNames } from '../written-forms.ts'

/** Call while its fragments arrive. */
export interface CallDraft {
  readonly nth: number
  readonly index: number | undefined
  id: string
  name: string
  written: string
  extra: JsonRecord | undefined
}

interface DraftChange {
  readonly draft: CallDraft
  readonly isNew: boolean
  readonly fragment: string
}

/** Adds a fragment to the call that it belongs to; undefined for a value that is not a fragment. */
export function applyFragment(drafts: CallDraft[], raw: unknown): DraftChange | undefined {
  const parsed = fragmentSchema().safeParse(raw)
  if (!parsed.success) return undefined
  const { index, id, function: called, type: _type, ...extra } = parsed.data
  const named = { index: index ?? undefined, id: id ?? '', name: called?.name ?? '' }
  const known = findDraft(drafts, named)
  const draft = known ?? { nth: drafts.length, index: named.index, id: '', name: '', written: '', extra: undefined }
  if (known === undefined) drafts.push(draft)
  const args = called?.arguments ?? ''
  const fragment = newArguments(draft.written, typeof args === 'string' ? args : JSON.stringify(args))
  draft.id ||= named.id
  draft.name = grownName(draft, named.name)
  // Some servers begin each call with empty arguments, and send the real ones behind them.
  draft.written = draft.written.trim() === '{}' && fragment !== '' ? fragment : draft.written + fragment
  if (Object.keys(extra).length > 0) draft.extra = { ...draft.extra, ...extra }
  return { draft, isNew: known === undefined, fragment }
}

/** Returns the text that a fragment adds; an empty one where it repeats the whole arguments at their end. */
function newArguments(written: string, fragment: string): string {
  return fragment === written && parseRecord(written) !== undefined ? '' : fragment
}

/** Returns the name with its next piece. Most servers send it once, or whole with each fragment. */
function grownName({ name, written }: CallDraft, piece: string): string {
  if (name === '' || piece === '' || piece === name) return name || piece
  if (piece.startsWith(name)) return piece
  return written === '' ? name + piece : name
}

/** Finds the call of a fragment by its index. Where a server counts wrongly or not at all, id and name decide. */
function findDraft(
  drafts: readonly CallDraft[],
  { index, id, name }: Pick<CallDraft, 'index' | 'id' | 'name'>,
): CallDraft | undefined {
  const sameId = id === '' ? undefined : drafts.findLast((draft) => draft.id === id)
  const candidate = index === undefined ? (sameId ?? drafts.at(-1)) : drafts.findLast((draft) => draft.index === index)
  if (candidate === undefined || candidate === sameId) return candidate
  const otherId = id !== '' && candidate.id !== ''
  const isNewCall = name !== '' && (otherId || parseRecord(candidate.written) !== undefined)
  return isNewCall ? undefined : candidate
}

const fragmentSchema = lazily(() =>
  z.looseObject({
    index: z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).nullish(),
    id: z.union([z.string(), z.number().transform(String)]).nullish(),
    function: z
      .looseObject({
        name: z.string().nullish(),
        arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
      })
      .nullish(),
  }),
)

export function partOf(draft: CallDraft): string {
  return `call-${draft.nth}`
}

export interface WrittenCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** Unknown fields of the call, such as a thought signature, which the server needs back. */
  readonly extra?: object
}

interface AssistantContent {
  readonly text: string
  readonly calls: readonly WrittenCall[]
  readonly reasoningContent?: string
}

/** Returns a message of the assistant in the form that the server takes back. */
export function assistantMessage({ text, calls, reasoningContent }: AssistantContent): object {
  if (calls.length === 0) return { role: 'assistant', content: text }
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    // DeepSeek, Kimi and similar servers reject a call without its reasoning; only they use this name.
    ...(reasoningContent ? { reasoning_content: reasoningContent } : {}),
    tool_calls: calls.map((call) => ({
      ...call.extra,
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: sendableArguments(call.arguments) },
    })),
  }
}

/** Returns arguments that chat templates can parse: any other text would make every later request fail. */
function sendableArguments(written: string): string {
  return parseRecord(written) === undefined ? JSON.stringify(readableArguments(written)) : wholeEscapes(written)
}

/**
 * Returns a message of the same server as it came, but for names and halves of characters that servers reject. Ids
 * stay: some servers read them when they come back.
 */
export function ownMessage(message: unknown, names: WrittenNames): unknown {
  const calls = isRecord(message) ? message['tool_calls'] : undefined
  if (!isRecord(message) || !Array.isArray(calls)) return message
  const written = calls.map((call: unknown) => ownCall(call, names))
  return written.every((call, index) => call === calls[index]) ? message : { ...message, tool_calls: written }
}

function ownCall(call: unknown, names: WrittenNames): unknown {
  const called = isRecord(call) ? recordAt(call, 'function') : undefined
  if (!isRecord(call) || called === undefined) return call
  const { name, arguments: args } = called
  if (typeof name !== 'string' || typeof args !== 'string') return call
  const written = { name: names.own(name), arguments: wholeEscapes(args) }
  return written.name === name && written.arguments === args ? call : { ...call, function: { ...called, ...written } }
}
