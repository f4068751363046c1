import { isRecord } from '@parley/text'
import type { ImagePart, ModelCall, ModelEntry, ResponseEntry, ResultEntry, UserPart } from '../../port/model-client.ts'
import { createWrittenEntries, type JsonRecord, recordAt, writeElements } from '../json.ts'
import { imagesBehind, imagesFollow } from '../result-images.ts'
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
  const imageOnce = createWrittenEntries<string, ImagePart>()
  return (entries: readonly ModelEntry[]): string => {
    const named = new Map<string, NamedCall>()
    const images = signs ? [] : imagesBehind(entries)
    const written = entries.map((entry, index) => {
      const known = writtenOnce(entry, () => writeEntry(entry, { adapter, signs, named }))
      for (const call of known.calls) named.set(call.callId, call)
      const behind = (images[index] ?? []).map((image) => imageOnce(image, () => writeElements(userPart(image))))
      return behind.length === 0 ? known : { ...known, parts: [known.parts, introduction, ...behind].join(',') }
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
}

function writeEntry(entry: ModelEntry, { adapter, signs, named }: Writing): Written {
  switch (entry.kind) {
    case 'user':
      return { side: 'user', parts: writeElements(entry.content.flatMap(userPart)), calls: [] }
    case 'result':
      // Newer models read images inside of a result; for others they follow the last one of the response.
      return {
        side: 'results',
        parts: JSON.stringify(resultPart(entry, named.get(entry.callId), signs ? (entry.images ?? []) : [])),
        calls: [],
      }
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

const introduction = JSON.stringify({ text: imagesFollow })

function resultPart(
  { callId, text, isError }: ResultEntry,
  call: NamedCall | undefined,
  images: readonly ImagePart[],
): object {
  const id = call?.hasId === true ? { id: callId } : {}
  return {
    functionResponse: {
      ...id,
      name: call?.name ?? 'unknown',
      response: isError ? { error: text } : { output: text },
      ...(images.length === 0 ? {} : { parts: images.flatMap(userPart) }),
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
