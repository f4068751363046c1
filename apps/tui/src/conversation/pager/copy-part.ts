import type { Conversation } from '@parley/client'
import { commandOf } from '@parley/presentation/items/call-facts'
import type { Notice } from '@parley/presentation/notices/notice'
import { count, countOf, formatBytes } from '@parley/presentation/text/formats'
import { answerIn, type Item } from '@parley/protocol'
import type { Clipboard } from '../../terminal/clipboard.ts'
import type { Intent } from '../../ui/state/actions.ts'
import { codeBlocksOf, leftOutOf, markdownOf } from '../../view/pager/copied-text.ts'

type ReadConversation = Pick<Conversation, 'state' | 'read'>

type CopyIntent = Extract<Intent, { kind: 'copy' }>

interface CopiedText {
  readonly text: string
  /** Words for the part, after "Copied". */
  readonly what: string
}

/** Copies a part of the conversation. Resolves to the notice of what went where, or why nothing did. */
export async function copyPart(
  intent: CopyIntent,
  conversation: ReadConversation,
  clipboard: Clipboard,
): Promise<Notice> {
  const found = await find(intent, conversation)
  const { isCopied, text } =
    typeof found === 'string' ? { isCopied: false, text: found } : await clipboard.copy(found.text, found.what)
  return { kind: 'note', level: isCopied ? 'info' : 'warning', text }
}

/** Resolves to all of the conversation as Markdown, or to the sentence that says why it cannot be read. */
export async function readTranscript(conversation: ReadConversation): Promise<string> {
  const found = await findAll(conversation)
  return typeof found === 'string' ? found : found.text
}

/** Resolves to the part that the intent names, or to the sentence that says why it is missing. */
function find({ what, number }: CopyIntent, conversation: ReadConversation): Promise<CopiedText | string> {
  switch (what) {
    case 'answer':
      return findAnswer(conversation)
    case 'code':
      return findCode(conversation, number)
    case 'command':
      return findCommand(conversation)
    case 'all':
      return findAll(conversation)
  }
}

async function findAnswer(conversation: ReadConversation): Promise<CopiedText | string> {
  const answer: Item[] = []
  for await (const item of newestFirst(conversation)) {
    if (item.type !== 'agentMessage' || (answer.length === 0 && item.text.trim() === '')) continue
    answer.unshift(item)
    if (item.continues !== true) break
  }
  const text = answerIn(answer)
  return text === null ? 'There is no answer to copy yet.' : { text, what: 'the last answer' }
}

async function findCode(conversation: ReadConversation, number: number | null): Promise<CopiedText | string> {
  for await (const item of newestFirst(conversation)) {
    const blocks = item.type === 'agentMessage' ? codeBlocksOf(item) : []
    if (blocks.length === 0) continue
    const at = number ?? blocks.length
    const block = blocks[at - 1]
    if (block === undefined) return `That answer has no block ${at} of code: its last is ${count(blocks.length)}.`
    const which = blocks.length === 1 ? 'the code' : `block ${at} of ${blocks.length}`
    return { text: block.text, what: `${which} (${block.label}) of the last answer with code` }
  }
  return 'There is no answer with a block of code.'
}

async function findCommand(conversation: ReadConversation): Promise<CopiedText | string> {
  for await (const item of newestFirst(conversation))
    if (item.type === 'commandExecution' || item.type === 'shellCommand')
      return { text: commandOf(item), what: 'the last command' }
  return 'There is no command to copy yet.'
}

/** Most characters that are gathered for one copy. */
const maxCharacters = 32 * 1024 * 1024

async function findAll(conversation: ReadConversation): Promise<CopiedText | string> {
  const parts: string[] = []
  const clipped = { outputs: 0, bytes: 0 }
  let characters = 0
  for await (const item of newestFirst(conversation)) {
    const part = markdownOf(item)
    characters += part.length
    if (characters > maxCharacters) return 'The conversation is too long for a clipboard: it has more than 32 MB.'
    parts.push(part)
    const leftOut = leftOutOf(item)
    if (leftOut === 0) continue
    clipped.outputs++
    clipped.bytes += leftOut
  }
  if (parts.length === 0) return 'There is nothing to copy yet.'
  return {
    text: `${parts.reverse().join('\n\n')}\n`,
    what: `all ${count(parts.length)} items as Markdown${saidOf(clipped)}`,
  }
}

/** Returns what follows the number of items where outputs are not copied whole. */
function saidOf({ outputs, bytes }: { readonly outputs: number; readonly bytes: number }): string {
  return outputs === 0 ? '' : `, without ${formatBytes(bytes)} of ${countOf(outputs, 'output')}`
}

/** Iterates over all finished items; reads items of the log only on demand. */
async function* newestFirst(conversation: ReadConversation): AsyncGenerator<Item> {
  const { core, window } = conversation.state
  for (const { item } of window.toReversed()) yield item
  let before = window[0]?.seq ?? core.seq + 1
  for (let more = core.counts.items > window.length; more; ) {
    const page = await conversation.read({ before, limit: 500 })
    for (const { item } of page.items.toReversed()) yield item
    before = page.items[0]?.seq ?? 0
    more = page.more && page.items.length > 0
  }
}
