import { createHash } from 'node:crypto'
import { wellFormedJson } from '@parley/text'
import type { ModelCall, ModelEntry, ResponseEntry, ResultEntry, UserPart } from '../../port/model-client.ts'
import type { RequestBody } from '../../port/wire.ts'
import { joinElements, writeElements } from '../json.ts'
import { dataUrl } from '../openai-api.ts'
import { createEntryWriter, imagesFollow, takeImagesBefore } from '../write-entries.ts'
import { createWrittenNames, type WrittenNames } from '../written-forms.ts'
import { assistantMessage, ownMessage } from './response-parts.ts'

/** Content of the user as it is sent. */
interface UserContent {
  /** Text in JSON, without its quotes; undefined for content with an image. */
  readonly text: string | undefined
  /** The same as parts, joined by commas. */
  readonly parts: string
}

/** Creates a function that writes the messages of a request, without the brackets of the array. */
export function createMessageWriter(adapter: string): (entries: readonly ModelEntry[], model: string) => RequestBody {
  const plain = createEntryWriter(messageForm(adapter, { bridges: false }))
  const bridged = createEntryWriter(messageForm(adapter, { bridges: true }))
  return (entries, model) => (mistral.test(model) ? bridged : plain)(entries)
}

/** State between entries: facts of earlier ones, and the content of the user since the last message. */
interface OpenMessages {
  /** Calls that were made on another wire. */
  readonly foreignIds: Set<string>
  readonly names: WrittenNames
  /** Content of one message: the templates of Mistral and Gemma reject two of the user in a row. */
  readonly user: UserContent[]
  /** Images of the results that were added last, serialised. */
  readonly images: string[]
  isBehindResult: boolean
}

function messageForm(adapter: string, { bridges }: { readonly bridges: boolean }) {
  const close = (user: readonly UserContent[], isBehindResult: boolean): string =>
    user.length === 0 ? '' : joinElements([isBehindResult && bridges ? bridge : '', userMessage(user)])
  return {
    begin: (): OpenMessages => ({
      foreignIds: new Set(),
      names: createWrittenNames(acceptedNames),
      user: [],
      images: [],
      isBehindResult: false,
    }),
    settle(open: OpenMessages, entry: ModelEntry): string {
      // Messages of tools have no images, and no other message may stand between them.
      for (const part of imageContent(takeImagesBefore(entry, open.images))) open.user.push(part)
      const messages = addEntry(open, entry, adapter)
      if (messages === '') return ''
      const closed = close(open.user.splice(0), open.isBehindResult)
      open.isBehindResult = entry.kind === 'result'
      return joinElements([closed, messages])
    },
    rest: ({ user, images, isBehindResult }: OpenMessages) => close([...user, ...imageContent(images)], isBehindResult),
  }
}

/** Adds the open content of an entry; returns its messages, an empty text for an entry of the user. */
function addEntry(open: OpenMessages, entry: ModelEntry, adapter: string): string {
  switch (entry.kind) {
    case 'user':
      open.user.push(userContent(entry.content))
      return ''
    case 'result':
      for (const image of (entry.images ?? []).map((image) => wellFormedJson(contentOf(image)))) open.images.push(image)
      return resultMessage(entry, open.foreignIds)
    case 'response':
      noteIds(open.foreignIds, entry, adapter)
      return writeElements(
        entry.adapter === adapter
          ? entry.parts.map((part) => ownMessage(part, open.names))
          : neutralMessages(entry, open.names),
      )
  }
}

/** Names that every server takes. */
const acceptedNames = /^[\w-]{1,64}$/

/** Models that reject a message of the user right after a result, as an interrupted turn leaves it. */
const mistral = /mistral|ministral|devstral|codestral|magistral|mixtral|pixtral/i

const bridge = '{"role":"assistant","content":"Noted."}'

function userMessage(contents: readonly UserContent[]): string {
  const texts = contents.flatMap(({ text }) => text ?? [])
  const content =
    texts.length === contents.length ? `"${texts.join('\\n\\n')}"` : `[${contents.map(({ parts }) => parts).join(',')}]`
  return `{"role":"user","content":${content}}`
}

/** Notes which calls were made on another wire, so that their results name them alike. */
function noteIds(foreignIds: Set<string>, response: ResponseEntry, adapter: string): void {
  for (const { callId } of response.calls) {
    if (response.adapter === adapter) foreignIds.delete(callId)
    else foreignIds.add(callId)
  }
}

function resultMessage({ callId, text }: ResultEntry, foreignIds: ReadonlySet<string>): string {
  const id = foreignIds.has(callId) ? acceptedId(callId) : callId
  return wellFormedJson({ role: 'tool', tool_call_id: id, content: text })
}

/** Returns content as plain text where possible: many servers accept nothing else, and few models accept images. */
function userContent(content: readonly UserPart[]): UserContent {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const parts = writeElements(content.map(contentOf))
  return { text: texts.length === content.length ? wellFormedJson(texts.join('\n\n')).slice(1, -1) : undefined, parts }
}

function contentOf(part: UserPart): object {
  return part.type === 'text' ? part : { type: 'image_url', image_url: { url: dataUrl(part) } }
}

/** Returns images as content that names them; an empty list without images. */
function imageContent(images: readonly string[]): readonly UserContent[] {
  return images.length === 0 ? [] : [{ text: undefined, parts: joinElements([introduction, ...images]) }]
}

const introduction = JSON.stringify({ type: 'text', text: imagesFollow })

function neutralMessages({ text, calls }: ResponseEntry, names: WrittenNames): readonly object[] {
  const written = calls.map((call) => toolCallOf(call, names))
  return text === '' && calls.length === 0 ? [] : [assistantMessage({ text, calls: written })]
}

function toolCallOf({ callId, name, arguments: written }: ModelCall, names: WrittenNames) {
  return { id: acceptedId(callId), name: names.foreign(name), arguments: written }
}

/** Returns the id of a call of another wire as nine letters and digits, which Mistral wants. */
function acceptedId(callId: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(callId)) return callId
  const digest = createHash('sha256').update(callId).digest('hex').slice(0, 12)
  return Number.parseInt(digest, 16).toString(36).padStart(9, '0').slice(-9)
}
