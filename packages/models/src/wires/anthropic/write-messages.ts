import type { ModelEntry, ResponseEntry, ResultEntry, UserPart } from '../../port/model-client.ts'
import { createWrittenEntries, writeElements } from '../json.ts'
import { acceptedName, readableArguments } from '../tool-calls.ts'

type Role = 'user' | 'assistant'

/** Content blocks of an entry, serialised and joined by commas; empty for an entry without any. */
interface Written {
  readonly role: Role
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
 * share a message, as results of parallel calls must; each is serialised once.
 */
export function createMessageWriter(adapter: string): (entries: readonly ModelEntry[]) => string {
  const writtenOnce = createWrittenEntries<Written>()
  return (entries) => {
    const written = entries
      .map((entry) => writtenOnce(entry, () => writeEntry(entry, adapter)))
      .filter(({ blocks }) => blocks !== '')
    const marked = markedEnds(written)
    let text = ''
    for (const [index, { role, blocks }] of written.entries()) {
      const isNext = written[index - 1]?.role === role
      if (!isNext) text += `${index === 0 ? '' : ']},'}{"role":"${role}","content":[`
      text += `${isNext ? ',' : ''}${marked.has(index) ? mark(blocks) : blocks}`
    }
    return text === '' ? '' : `${text}]}`
  }
}

/**
 * Returns the indexes of the user's entries that end a request: the last, and those before the newest responses. The
 * provider looks back at most 20 blocks from a mark; one response may have more.
 */
function markedEnds(written: readonly Written[]): ReadonlySet<number> {
  const ends = written.flatMap(({ role }, index) =>
    role === 'user' && written[index + 1]?.role !== 'user' ? [index] : [],
  )
  return new Set(ends.slice(-1 - earlierMarks))
}

/** Adds the mark to the last of the blocks, which is no reasoning: that cannot carry one. */
function mark(blocks: string): string {
  return `${blocks.slice(0, -1)},${cacheControl}}`
}

/** Returns the instructions as blocks, with a mark: tools and instructions are the same in every request. */
export function writeInstructions(instructions: string): string {
  return instructions === '' ? '' : `[${mark(JSON.stringify({ type: 'text', text: instructions }))}]`
}

function writeEntry(entry: ModelEntry, adapter: string): Written {
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
