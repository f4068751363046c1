import { isRecord, wellFormedJson } from '@parley/text'
import type { ImagePart, ModelCall, ResponseEntry, ResultEntry, UserPart } from '../../port/model-client.ts'
import { type JsonRecord, joinElements, recordAt, writeElements } from '../json.ts'
import { readableArguments } from '../tool-calls.ts'
import { createEntryWriter, imagesFollow, takeImagesBefore } from '../write-entries.ts'
import { createWrittenNames, type WrittenNames } from '../written-forms.ts'

/** Signature that stands for one that this API did not give: Gemini 3 rejects a call without any. */
const foreignSignature = 'skip_thought_signature_validator'

/** Names that the API takes. */
const acceptedNames = /^[a-zA-Z_][\w.:-]{0,63}$/

/** State between entries: facts of earlier calls, and the results since the last content. */
interface OpenContents {
  readonly named: Map<string, NamedCall>
  readonly names: WrittenNames
  /** Parts of one content, as parallel calls need; messages stand apart from it. */
  readonly results: string[]
  /** Images of the results that were added last, serialised. */
  readonly images: string[]
}

/**
 * Creates a function that writes the contents of a request, without the brackets of the array. `signs`: the first call
 * of a response has a signature, whichever model made it.
 */
export function createContentWriter(adapter: string, { signs }: { readonly signs: boolean }) {
  return createEntryWriter<OpenContents>({
    begin: () => ({ named: new Map(), names: createWrittenNames(acceptedNames), results: [], images: [] }),
    settle(open, entry) {
      for (const part of imageParts(takeImagesBefore(entry, open.images))) open.results.push(part)
      if (entry.kind === 'result') {
        addResult(open, entry, signs)
        return ''
      }
      const writing = { adapter, signs, names: open.names }
      if (entry.kind === 'response') for (const call of namedCalls(entry, writing)) open.named.set(call.callId, call)
      const parts = entry.kind === 'user' ? entry.content.flatMap(userPart) : responseParts(entry, writing)
      if (parts.length === 0) return ''
      const results = contentOf('user', open.results.splice(0))
      return joinElements([results, contentOf(entry.kind === 'user' ? 'user' : 'model', [writeElements(parts)])])
    },
    rest: ({ results, images }) => contentOf('user', [...results, ...imageParts(images)]),
  })
}

function contentOf(role: 'user' | 'model', parts: readonly string[]): string {
  return parts.length === 0 ? '' : `{"role":"${role}","parts":[${parts.join(',')}]}`
}

/** Adds a result. Newer models read images inside of it; for others they follow the last one of the response. */
function addResult({ named, results, images }: OpenContents, entry: ResultEntry, signs: boolean): void {
  const shown = entry.images ?? []
  results.push(wellFormedJson(resultPart(entry, named.get(entry.callId), signs ? shown : [])))
  if (!signs) for (const image of shown.map((image) => writeElements(userPart(image)))) images.push(image)
}

/** Returns images as parts that name them; an empty list without images. */
function imageParts(images: readonly string[]): readonly string[] {
  return images.length === 0 ? [] : [introduction, ...images]
}

/** Call that a result answers: its name, and whether the API gave it its id. */
interface NamedCall {
  readonly callId: string
  readonly name: string
  readonly hasId: boolean
}

function namedCalls({ adapter, parts, calls }: ResponseEntry, { adapter: own, names }: Writing): readonly NamedCall[] {
  const given = new Set(adapter === own ? parts.flatMap(givenId) : [])
  return calls.map(({ callId, name }) => ({
    callId,
    name: adapter === own ? names.own(name) : names.foreign(name),
    hasId: given.has(callId),
  }))
}

function givenId(part: unknown): readonly unknown[] {
  const call = isRecord(part) ? recordAt(part, 'functionCall') : undefined
  return call?.['id'] === undefined ? [] : [call['id']]
}

interface Writing {
  readonly adapter: string
  readonly names: WrittenNames
  readonly signs: boolean
}

function responseParts(response: ResponseEntry, { adapter, signs, names }: Writing): readonly unknown[] {
  const parts =
    response.adapter === adapter ? response.parts.map((part) => ownPart(part, names)) : neutralParts(response, names)
  return signs ? signed(parts) : parts
}

/** Returns a part as the API gave it, but for the name of a call that it does not take. */
function ownPart(part: unknown, names: WrittenNames): unknown {
  const call = isRecord(part) ? recordAt(part, 'functionCall') : undefined
  const given = call?.['name']
  if (!isRecord(part) || typeof given !== 'string') return part
  const name = names.own(given)
  return name === given ? part : { ...part, functionCall: { ...call, name } }
}

/** Returns the part of a message; empty text has no part. */
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

function neutralParts({ text, calls }: ResponseEntry, names: WrittenNames): readonly object[] {
  return [...(text === '' ? [] : [{ text }]), ...calls.map((call) => callPart(call, names))]
}

function callPart({ name, arguments: written }: ModelCall, names: WrittenNames): JsonRecord {
  return { functionCall: { name: names.foreign(name), args: readableArguments(written) } }
}

/** Adds a signature to the first call unless it has one. */
function signed(parts: readonly unknown[]): readonly unknown[] {
  const first = parts.findIndex((part) => isRecord(part) && part['functionCall'] !== undefined)
  const call = parts[first]
  if (!isRecord(call) || call['thoughtSignature'] !== undefined) return parts
  return parts.with(first, { ...call, thoughtSignature: foreignSignature })
}
