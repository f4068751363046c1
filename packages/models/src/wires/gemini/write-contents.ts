import type { ModelCall, ModelEntry, ResponseEntry, ResultEntry, UserPart } from '../../port/model-client.ts'
import { createWrittenEntries, isRecord, type JsonRecord, recordAt, writeElements } from '../json.ts'
import { imagesEndingAt, imagesFollow } from '../result-images.ts'
import { acceptedName, readableArguments } from '../tool-calls.ts'

/** Side of an entry; results follow each other in one content, as parallel calls need, and stand apart from messages. */
type Side = 'user' | 'model' | 'results'

interface Written {
  readonly side: Side
  /** Parts, serialised and joined by commas; empty for an entry without any. */
  readonly parts: string
  /** Calls that later results answer. */
  readonly calls: readonly NamedCall[]
}

/** Signature that stands for one that this API did not give: Gemini 3 rejects a call without any. */
const foreignSignature = 'skip_thought_signature_validator'

/**
 * Creates a function that writes the contents of a request, without the brackets of the array. Each entry is serialised
 * once in its life. `signs`: the first call of a response has a signature, whichever model made it.
 */
export function createContentWriter(adapter: string, { signs }: { readonly signs: boolean }) {
  const writtenOnce = createWrittenEntries<Written>()
  return (entries: readonly ModelEntry[]): string => {
    const named = new Map<string, NamedCall>()
    const written = entries.map((entry) => {
      const known = writtenOnce(entry, () => writeEntry(entry, { adapter, signs, named, entries }))
      for (const call of known.calls) named.set(call.callId, call)
      return known
    })
    return joined(written.filter(({ parts }) => parts !== ''))
  }
}

function joined(written: readonly Written[]): string {
  let text = ''
  for (const [index, { side, parts }] of written.entries()) {
    const isNext = side === 'results' && written[index - 1]?.side === side
    if (isNext) text += `,${parts}`
    else text += `${index === 0 ? '' : ']},'}{"role":"${side === 'model' ? 'model' : 'user'}","parts":[${parts}`
  }
  return text === '' ? '' : `${text}]}`
}

/** Call that a result answers: its name, and whether the API gave it its id. */
interface NamedCall {
  readonly callId: string
  readonly name: string
  readonly hasId: boolean
}

function namedCalls({ adapter, parts, calls }: ResponseEntry, own: string): readonly NamedCall[] {
  const given = new Set(adapter === own ? parts.flatMap(givenId) : [])
  return calls.map(({ callId, name }) => ({
    callId,
    name: adapter === own ? name : acceptedName(name),
    hasId: given.has(callId),
  }))
}

function givenId(part: unknown): readonly unknown[] {
  const call = isRecord(part) ? recordAt(part, 'functionCall') : undefined
  return call?.['id'] === undefined ? [] : [call['id']]
}

interface Writing {
  readonly adapter: string
  readonly signs: boolean
  readonly named: ReadonlyMap<string, NamedCall>
  readonly entries: readonly ModelEntry[]
}

function writeEntry(entry: ModelEntry, { adapter, signs, named, entries }: Writing): Written {
  switch (entry.kind) {
    case 'user':
      return { side: 'user', parts: writeElements(entry.content.flatMap(userPart)), calls: [] }
    case 'result':
      return { side: 'results', parts: writeElements(resultParts(entry, { signs, named, entries })), calls: [] }
    case 'response': {
      const parts = entry.adapter === adapter ? entry.parts : neutralParts(entry)
      const text = writeElements(signs ? signed(parts) : parts)
      return { side: 'model', parts: text, calls: namedCalls(entry, adapter) }
    }
  }
}

/** Returns a part of a message; none for empty text. */
function userPart(part: UserPart): readonly object[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }]
  return [{ inlineData: { mimeType: part.mediaType, data: part.base64 } }]
}

/** Returns a result. Newer models read images inside of it; for others they follow the last result of the response. */
function resultParts(entry: ResultEntry, { signs, named, entries }: Omit<Writing, 'adapter'>): readonly object[] {
  const call = named.get(entry.callId)
  if (signs) return [resultPart(entry, call, (entry.images ?? []).flatMap(userPart))]
  const images = imagesEndingAt(entry, entries)
  const after = images.length === 0 ? [] : [{ text: imagesFollow }, ...images.flatMap(userPart)]
  return [resultPart(entry, call, []), ...after]
}

function resultPart({ callId, text, isError }: ResultEntry, call: NamedCall | undefined, parts: readonly object[]) {
  const id = call?.hasId === true ? { id: callId } : {}
  return {
    functionResponse: {
      ...id,
      name: call?.name ?? 'unknown',
      response: isError ? { error: text } : { output: text },
      ...(parts.length === 0 ? {} : { parts }),
    },
  }
}

function neutralParts({ text, calls }: ResponseEntry): readonly object[] {
  return [...(text === '' ? [] : [{ text }]), ...calls.map(callPart)]
}

function callPart({ name, arguments: written }: ModelCall): JsonRecord {
  return { functionCall: { name: acceptedName(name), args: readableArguments(written) } }
}

/** Adds a signature to the first call if it has none. */
function signed(parts: readonly unknown[]): readonly unknown[] {
  const first = parts.findIndex((part) => isRecord(part) && part['functionCall'] !== undefined)
  const call = parts[first]
  if (!isRecord(call) || call['thoughtSignature'] !== undefined) return parts
  return parts.with(first, { ...call, thoughtSignature: foreignSignature })
}
