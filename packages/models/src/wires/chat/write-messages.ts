import { createHash } from 'node:crypto'
import type { ImagePart, ModelCall, ModelEntry, ResponseEntry, UserPart } from '../../port/model-client.ts'
import { createWrittenEntries, writeElements } from '../json.ts'
import { dataUrl } from '../openai-api.ts'
import { imagesBehind, imagesFollow } from '../result-images.ts'
import { acceptedName } from '../tool-calls.ts'
import { assistantMessage } from './response-parts.ts'

/** Entry as it is sent. Content of the user stays open, since what follows may belong to the same message. */
type Written = UserContent | { readonly messages: string }

interface UserContent {
  /** Text in JSON, without its quotes; undefined for content with an image. */
  readonly text: string | undefined
  /** The same as parts, joined by commas. */
  readonly parts: string
}

type WriteMessages = (entries: readonly ModelEntry[], model: string) => string

/**
 * Creates a function that writes the messages of a request, without the brackets of the array. Messages of the user that
 * follow each other are one: the templates of Mistral and Gemma reject two. Each entry is serialised once in its life.
 */
export function createMessageWriter(adapter: string): WriteMessages {
  const writtenOnce = createWrittenEntries<Written>()
  const imageOnce = createWrittenEntries<string, ImagePart>()
  return (entries, model) => {
    const images = imagesBehind(entries)
    const foreignIds = new Set<string>()
    const messages: string[] = []
    let open: UserContent[] = []
    let before: ModelEntry['kind'] = 'user'
    const close = () => {
      if (open.length > 0 && before === 'result' && mistral.test(model)) messages.push(bridge)
      if (open.length > 0) messages.push(userMessage(open))
      open = []
    }
    for (const [index, entry] of entries.entries()) {
      noteIds(foreignIds, entry, adapter)
      const written = writtenOnce(entry, () => writeEntry(entry, { adapter, foreignIds }))
      if ('parts' in written) open.push(written)
      else if (written.messages !== '') {
        close()
        messages.push(written.messages)
        before = entry.kind
      }
      const behind = (images[index] ?? []).map((image) => imageOnce(image, () => JSON.stringify(contentOf(image))))
      // Messages of tools have no images, and none may stand between them.
      if (behind.length > 0) open.push({ text: undefined, parts: [introduction, ...behind].join(',') })
    }
    close()
    return messages.join(',')
  }
}

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
function noteIds(foreignIds: Set<string>, entry: ModelEntry, adapter: string): void {
  if (entry.kind !== 'response') return
  for (const { callId } of entry.calls) {
    if (entry.adapter === adapter) foreignIds.delete(callId)
    else foreignIds.add(callId)
  }
}

interface Writing {
  readonly adapter: string
  readonly foreignIds: ReadonlySet<string>
}

function writeEntry(entry: ModelEntry, { adapter, foreignIds }: Writing): Written {
  switch (entry.kind) {
    case 'user':
      return userContent(entry.content)
    case 'result': {
      const { callId, text } = entry
      const id = foreignIds.has(callId) ? acceptedId(callId) : callId
      return { messages: JSON.stringify({ role: 'tool', tool_call_id: id, content: text }) }
    }
    case 'response':
      return { messages: writeElements(entry.adapter === adapter ? entry.parts : neutralMessages(entry)) }
  }
}

/** Returns content as plain text where possible: many servers accept nothing else, and few models accept images. */
function userContent(content: readonly UserPart[]): UserContent {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const parts = writeElements(content.map(contentOf))
  return { text: texts.length === content.length ? JSON.stringify(texts.join('\n\n')).slice(1, -1) : undefined, parts }
}

function contentOf(part: UserPart): object {
  return part.type === 'text' ? part : { type: 'image_url', image_url: { url: dataUrl(part) } }
}

const introduction = JSON.stringify({ type: 'text', text: imagesFollow })

function neutralMessages({ text, calls }: ResponseEntry): readonly object[] {
  return text === '' && calls.length === 0 ? [] : [assistantMessage({ text, calls: calls.map(toolCallOf) })]
}

function toolCallOf({ callId, name, arguments: written }: ModelCall) {
  return { id: acceptedId(callId), name: acceptedName(name), arguments: written }
}

/** Returns the id of a call of another wire as nine letters and digits, which Mistral wants. */
function acceptedId(callId: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(callId)) return callId
  const digest = createHash('sha256').update(callId).digest('hex').slice(0, 12)
  return Number.parseInt(digest, 16).toString(36).padStart(9, '0').slice(-9)
}
