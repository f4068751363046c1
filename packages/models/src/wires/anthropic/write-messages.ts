import { isRecord, wellFormedJson } from '@parley/text'
import type { ModelEntry, ResponseEntry, ResultEntry, UserPart } from '../../port/model-client.ts'
import type { RequestBody } from '../../port/wire.ts'
import { writeElements } from '../json.ts'
import { readableArguments } from '../tool-calls.ts'
import { createEntryWriter } from '../write-entries.ts'
import { createWrittenIds, createWrittenNames, type WrittenNames } from '../written-forms.ts'

/** Message with its blocks serialised and joined by commas. */
interface SerialisedMessage {
  readonly role: 'user' | 'assistant'
  readonly blocks: string
}

/** Names that the API takes. */
const acceptedNames = /^[\w-]{1,128}$/

/** Forms of the ids and names of the calls so far. */
interface CallForms {
  readonly idOf: (callId: string) => string
  readonly names: WrittenNames
}

const cacheControl = '"cache_control":{"type":"ephemeral"}'

/**
 * Number of earlier requests with a mark at their end. The marks of this request and of the instructions make it four,
 * the most that the API takes.
 */
const earlierMarks = 2

/**
 * Creates a function that writes the messages of a request, without the brackets of the array. Entries of one side
 * share a message, as results of parallel calls must.
 */
export function createMessageWriter(adapter: string): (entries: readonly ModelEntry[]) => RequestBody {
  return createEntryWriter<CallForms & { readonly open: SerialisedMessage[] }>({
    begin: () => ({ open: [], idOf: createWrittenIds(), names: createWrittenNames(acceptedNames) }),
    settle({ open, ...forms }, entry) {
      const added = messageOf(entry, adapter, forms)
      if (added.blocks === '') return ''
      const last = open.at(-1)
      if (last?.role === added.role) open.splice(-1, 1, { ...last, blocks: `${last.blocks},${added.blocks}` })
      else open.push(added)
      return open.splice(0, firstMarked(open)).map(writeMessage).join(',')
    },
    rest: ({ open }) =>
      open.map((message) => writeMessage(message.role === 'user' ? marked(message) : message)).join(','),
  })
}

/**
 * Returns the index of the first marked message: messages of the user end requests, and the newest are marked. The
 * provider looks back at most 20 blocks from a mark; one response may have more.
 */
function firstMarked(messages: readonly SerialisedMessage[]): number {
  const ends = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
  return ends.at(-1 - earlierMarks) ?? 0
}

function marked({ role, blocks }: SerialisedMessage): SerialisedMessage {
  return { role, blocks: mark(blocks) }
}

function writeMessage({ role, blocks }: SerialisedMessage): string {
  return `{"role":"${role}","content":[${blocks}]}`
}

/** Adds the mark to the last of the blocks, which is no reasoning: that cannot carry one. */
function mark(blocks: string): string {
  return `${blocks.slice(0, -1)},${cacheControl}}`
}

/** Returns the instructions as blocks, with a mark: tools and instructions are the same in every request. */
export function writeInstructions(instructions: string): string {
  return instructions === '' ? '' : `[${mark(wellFormedJson({ type: 'text', text: instructions }))}]`
}

function messageOf(entry: ModelEntry, adapter: string, forms: CallForms): SerialisedMessage {
  switch (entry.kind) {
    case 'user':
      return { role: 'user', blocks: writeElements(entry.content.flatMap(userBlock)) }
    case 'result':
      return { role: 'user', blocks: wellFormedJson(resultBlock(entry, forms)) }
    case 'response':
      return {
        role: 'assistant',
        blocks: writeElements(
          entry.adapter === adapter ? entry.parts.map((part) => ownBlock(part, forms)) : neutralBlocks(entry, forms),
        ),
      }
  }
}

/** Returns the block of a part. Text without a visible character has no block, because the API rejects it. */
function userBlock(part: UserPart): readonly object[] {
  if (part.type === 'text') return part.text.trim() === '' ? [] : [part]
  return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.base64 } }]
}

/** Returns the block of a result; the API takes images in results that are no errors. */
function resultBlock({ callId, text, images = [], isError }: ResultEntry, { idOf }: CallForms): object {
  const shown = isError ? [] : images.flatMap(userBlock)
  const said = text.trim() === '' ? {} : { content: text }
  const content = shown.length === 0 ? said : { content: [...textBlock(text), ...shown] }
  return { type: 'tool_result', tool_use_id: idOf(callId), ...content, ...(isError ? { is_error: true } : {}) }
}

function textBlock(text: string): readonly object[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

/** Returns a block as the provider gave it, but for a name or id that it does not take. */
function ownBlock(part: unknown, { idOf, names }: CallForms): unknown {
  if (!isRecord(part) || part['type'] !== 'tool_use') return part
  const { id, name } = part
  if (typeof id !== 'string' || typeof name !== 'string') return part
  const written = { id: idOf(id), name: names.own(name) }
  return written.id === id && written.name === name ? part : { ...part, ...written }
}

/** Returns a response of another wire as text and calls. */
function neutralBlocks({ text, calls }: ResponseEntry, { idOf, names }: CallForms): readonly object[] {
  return [
    ...(text.trim() === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ callId, name, arguments: written }) => ({
      type: 'tool_use',
      id: idOf(callId),
      name: names.foreign(name),
      input: readableArguments(written),
    })),
  ]
}
