import type { ModelEntry, ResponseEntry, ResultEntry, UserPart } from '../../port/model-client.ts'
import type { RequestBody } from '../../port/wire.ts'
import { writeElements } from '../json.ts'
import { acceptedName, readableArguments } from '../tool-calls.ts'
import { createEntryWriter } from '../write-entries.ts'

/** Message whose blocks are serialised and joined by commas. */
interface Message {
  readonly role: 'user' | 'assistant'
  readonly blocks: string
}

const cacheControl = '"cache_control":{"type":"ephemeral"}'

/**
 * Number of earlier requests whose end is marked, besides the end of this one. With the mark on the instructions they are
 * the four that a request may have.
 */
const earlierMarks = 2

/**
 * Creates a function that writes the messages of a request, without the brackets of the array. Entries of one side
 * share a message, as results of parallel calls must.
 */
export function createMessageWriter(adapter: string): (entries: readonly ModelEntry[]) => RequestBody {
  return createEntryWriter<Message[]>({
    begin: () => [],
    settle(open, entry) {
      const added = messageOf(entry, adapter)
      if (added.blocks === '') return ''
      const last = open.at(-1)
      if (last?.role === added.role) open.splice(-1, 1, { ...last, blocks: `${last.blocks},${added.blocks}` })
      else open.push(added)
      return open.splice(0, firstMarked(open)).map(writeMessage).join(',')
    },
    rest: (open) => open.map((message) => writeMessage(message.role === 'user' ? marked(message) : message)).join(','),
  })
}

/**
 * Returns the index of the first marked message: messages of the user end requests, and the newest are marked. The
 * provider looks back at most 20 blocks from a mark; one response may have more.
 */
function firstMarked(messages: readonly Message[]): number {
  const ends = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
  return ends.at(-1 - earlierMarks) ?? 0
}

function marked({ role, blocks }: Message): Message {
  return { role, blocks: mark(blocks) }
}

function writeMessage({ role, blocks }: Message): string {
  return `{"role":"${role}","content":[${blocks}]}`
}

/** Adds the mark to the last of the blocks, which is no reasoning: that cannot carry one. */
function mark(blocks: string): string {
  return `${blocks.slice(0, -1)},${cacheControl}}`
}

/** Returns the instructions as blocks, with a mark: tools and instructions are the same in every request. */
export function writeInstructions(instructions: string): string {
  return instructions === '' ? '' : `[${mark(JSON.stringify({ type: 'text', text: instructions }))}]`
}

function messageOf(entry: ModelEntry, adapter: string): Message {
  switch (entry.kind) {
    case 'user':
      return { role: 'user', blocks: writeElements(entry.content.flatMap(userBlock)) }
    case 'result':
      return { role: 'user', blocks: JSON.stringify(resultBlock(entry)) }
    case 'response':
      return {
        role: 'assistant',
        blocks: writeElements(entry.adapter === adapter ? entry.parts : neutralBlocks(entry)),
      }
  }
}

/** Returns the block of a part; none for text without a visible character, which the API rejects. */
function userBlock(part: UserPart): readonly object[] {
  if (part.type === 'text') return part.text.trim() === '' ? [] : [part]
  return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.base64 } }]
}

/** Returns the block of a result; the API takes images in results that are no errors. */
function resultBlock({ callId, text, images = [], isError }: ResultEntry): object {
  const shown = isError ? [] : images.flatMap(userBlock)
  const said = text.trim() === '' ? {} : { content: text }
  const content = shown.length === 0 ? said : { content: [...textBlock(text), ...shown] }
  return { type: 'tool_result', tool_use_id: acceptedId(callId), ...content, ...(isError ? { is_error: true } : {}) }
}

function textBlock(text: string): readonly object[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

/** Returns a response of another wire as text and calls. */
function neutralBlocks({ text, calls }: ResponseEntry): readonly object[] {
  return [
    ...(text.trim() === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ callId, name, arguments: written }) => ({
      type: 'tool_use',
      id: acceptedId(callId),
      name: acceptedName(name),
      input: readableArguments(written),
    })),
  ]
}

/** Returns an id in the characters that the API accepts. */
function acceptedId(callId: string): string {
  return callId.replace(/[^\w-]/g, '_')
}
