import { isRecord, parseRecord } from '@parley/text'
import type { ModelEntry } from '../port/model-client.ts'

/** Request that a provider refused, with its writer. */
interface RefusedRequest {
  readonly entries: readonly ModelEntry[]
  /** Returns the body of the request with these entries. */
  readonly write: (entries: readonly ModelEntry[]) => string
}

/** Path of a message, or of a part of it, in the words of a provider. */
interface MessagePath {
  readonly index: number
  /** Part of the message; null where the path leads to the whole message. */
  readonly part: { readonly of: string; readonly index: number } | null
}

/** Names of the messages in the requests of the APIs. */
const lists = ['messages', 'input', 'contents'] as const

/** `messages[12]`, `messages.3.content.0`, `input[7]`, `contents[4].parts[1]`, `messages.[3]`. */
const paths = /\b(?:messages|input|contents)\.?\[?(\d+)\]?(?:\.(content|parts|tool_calls|output)\.?\[?(\d+)\]?)?/g
/** Ids of calls and of the parts of answers. */
const ids = /\b(?:call|toolu|srvtoolu|rs|fc|fco|msg|ctc)_[\w-]{4,}/g
/** Words about other parts of a request than its messages. */
const elsewhere =
  /\b(?:tools|functions|response_format|text\.format|output_config|max_tokens|max_output_tokens|max_completion_tokens|temperature|top_p|reasoning[._]effort|tool_choice|stream_options)\b(?=[.[\s'"`:]|$)|unsupported (?:parameter|value)|unknown (?:parameter|field|name)/i

/**
 * Returns the entries that a provider's words about a refused request name. The list is empty where they name no entry;
 * null means that they are about another part of the request. `body` is the provider's answer; empty for a refusal
 * inside of a stream.
 */
export function refusedEntries(message: string, body: string, refused: RefusedRequest): readonly number[] | null {
  const words = `${message} ${pathIn(parseRecord(body) ?? {})}`
  const messages = messagesIn(refused.write(refused.entries))
  const named = [...pathsIn(words), ...pathsOfIds(words, messages)]
  if (named.length === 0) return elsewhere.test(words) ? null : []
  const found = named.flatMap((path) => entriesAt(path, messages, refused))
  return found.length === 0 ? null : [...new Set(found)].sort((a, b) => a - b)
}

/** Returns the path of the fault in an error body: `param` of OpenAI's shape, `loc` of FastAPI's. */
function pathIn(body: Readonly<Record<string, unknown>>): string {
  const error = isRecord(body['error']) ? body['error'] : body
  const param = typeof error['param'] === 'string' ? error['param'] : ''
  const [detail] = Array.isArray(body['detail']) ? body['detail'] : []
  return `${param} ${isRecord(detail) ? pathOfSteps(detail['loc']) : ''}`
}

/** Returns the path of a fault in a request, which FastAPI names in steps; empty without steps. */
export function pathOfSteps(steps: unknown): string {
  const known: readonly unknown[] = Array.isArray(steps) ? steps : []
  return known.filter((step) => typeof step === 'string' || typeof step === 'number').join('.')
}

/** Most paths that count: each one takes as long as writing many requests. */
const maxPaths = 20

/** Returns the different matches of a pattern, up to `maxPaths`. */
function matchesIn(words: string, pattern: RegExp): readonly RegExpMatchArray[] {
  const known = new Map(words.matchAll(pattern).map((match) => [match[0], match]))
  return [...known.values().take(maxPaths)]
}

function pathsIn(words: string): readonly MessagePath[] {
  return matchesIn(words, paths).map(([, index, of, inner]) => ({
    index: Number(index),
    part: of === undefined || inner === undefined ? null : { of, index: Number(inner) },
  }))
}

function pathsOfIds(words: string, messages: readonly unknown[]): readonly MessagePath[] {
  return matchesIn(words, ids).flatMap(([id]) => {
    const holds = (value: unknown) => JSON.stringify(value).includes(JSON.stringify(id))
    const index = messages.findIndex(holds)
    if (index < 0) return []
    const of = ['content', 'parts', 'tool_calls'].find((name) => partsOf(messages[index], name).some(holds))
    const part = of === undefined ? null : { of, index: partsOf(messages[index], of).findIndex(holds) }
    return [{ index, part }]
  })
}

function messagesIn(body: string): readonly unknown[] {
  const parsed = parseRecord(body) ?? {}
  const list = lists.map((name) => parsed[name]).find((value) => Array.isArray(value))
  return Array.isArray(list) ? list : []
}

function partsOf(message: unknown, of: string): readonly unknown[] {
  const parts = isRecord(message) ? message[of] : undefined
  return Array.isArray(parts) ? parts : []
}

/** Returns the value at a path as text, without the marks of the cache; undefined where the path leads nowhere. */
function textAt({ index, part }: MessagePath, messages: readonly unknown[]): string | undefined {
  const value = part === null ? messages[index] : partsOf(messages[index], part.of)[part.index]
  return JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner))
}

/** Most entries of one side that are searched for a part of their common message. */
const most = 200

/** Returns the entries behind a path: requests with fewer entries show which ones begin and complete the message. */
function entriesAt(
  path: MessagePath,
  messages: readonly unknown[],
  { entries, write }: RefusedRequest,
): readonly number[] {
  const known = new Map<number, readonly unknown[]>()
  const messagesOf = (count: number) => {
    const written = known.get(count) ?? messagesIn(write(entries.slice(0, count)))
    known.set(count, written)
    return written
  }
  const wanted = textAt(path, messages)
  if (wanted === undefined) return []
  const first = firstCount(entries.length, (count) => messagesOf(count).length > path.index)
  for (let count = first; count <= Math.min(entries.length, first + most); count++) {
    if (textAt(path, messagesOf(count)) !== wanted) continue
    if (count === 0) return []
    const begin = path.part === null ? Math.max(1, first) : count
    return Array.from({ length: count - begin + 1 }, (_, index) => begin - 1 + index)
  }
  return []
}

/** Returns the least count up to `most` for which a condition holds that holds for all greater ones. */
function firstCount(most: number, holds: (count: number) => boolean): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
