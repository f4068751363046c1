import { commandOf, talkText } from '@parley/presentation/items/call-facts'
import { knownToken, parseMarkdown } from '@parley/presentation/markdown/inline'
import { stripEffects } from '@parley/presentation/text/control-characters'
import type { Item } from '@parley/protocol'
import { greatest } from '@parley/text'
import type { MarkedToken } from 'marked'
import { collapseOverwrites } from '../transcript/output-rows.ts'

export interface CodeBlock {
  /** Language or kind, in a few letters. */
  readonly label: string
  readonly text: string
}

/** Returns the text of an item to copy: a message, a command with its output, or a change. */
export function copiedText(item: Item): string {
  switch (item.type) {
    case 'userMessage':
    case 'agentMessage':
    case 'reasoning':
      return item.text
    case 'commandExecution':
    case 'shellCommand':
      return `$ ${commandOf(item)}\n${outputOf(item)}`
    case 'fileChange':
      return item.changes.map(({ diff }) => diff).join('\n')
    case 'toolCall':
      return `${item.title}\n${item.output === undefined ? (item.modelText ?? '') : outputOf(item)}`
    default:
      return item.text === '' ? item.title : item.text
  }
}

/** Returns the code of an item: fenced blocks of a message, the command, the diff. */
export function codeBlocksOf(item: Item): readonly CodeBlock[] {
  switch (item.type) {
    case 'agentMessage':
    case 'userMessage':
      return blocksIn(parseMarkdown(item.text))
    case 'commandExecution':
    case 'shellCommand':
      return [{ label: 'command', text: commandOf(item) }]
    case 'fileChange':
      return item.changes.map(({ path, diff }) => ({ label: path, text: diff }))
    default:
      return []
  }
}

/** Returns an item as Markdown, for a copy of the whole conversation. */
export function markdownOf(item: Item): string {
  switch (item.type) {
    case 'userMessage':
      return `## You\n\n${item.text}`
    case 'agentMessage':
      return item.text
    case 'reasoning':
      return item.text.replace(/^/gm, '> ')
    case 'commandExecution':
    case 'shellCommand':
    case 'toolCall':
      return talkMarkdown(item) ?? fenced(copiedText(item).trimEnd(), '')
    case 'fileChange':
      return fenced(copiedText(item).trimEnd(), 'diff')
    default:
      return `*${item.title}*`
  }
}

/** Returns a call that asked its user as Markdown; null for other calls. */
function talkMarkdown(item: Parameters<typeof talkText>[0]): string | null {
  const talk = talkText(item)
  if (talk === null) return null
  return `**${item.title}**\n\n${talk.text}`
}

/** Returns how many bytes of an item's output its copy leaves out. */
export function leftOutOf(item: Item): number {
  if (!('output' in item) || item.output === undefined) return 0
  return item.output.binary ? item.output.totalBytes : item.output.omittedBytes
}

/** Returns the text in a fence that is longer than any in it. */
function fenced(text: string, language: string): string {
  const longest = greatest(
    [...text.matchAll(/^\s*(`{3,})/gm)].map((match) => match[1]?.length ?? 0),
    2,
  )
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function outputOf({ output }: Extract<Item, { type: 'commandExecution' | 'shellCommand' | 'toolCall' }>): string {
  if (output === undefined || output.binary) return ''
  const rest = output.omittedBytes > 0 ? `\n… ${output.omittedBytes} bytes left out …\n` : ''
  return stripEffects(collapseOverwrites(output.head + rest + output.tail), 8)
}

function blocksIn(tokens: readonly MarkedToken[]): readonly CodeBlock[] {
  return tokens.flatMap((token): readonly CodeBlock[] => {
    if (token.type === 'code') return [{ label: token.lang?.split(/\s/)[0] || 'text', text: token.text }]
    if (token.type === 'list') return token.items.flatMap((item) => blocksIn(knownToken(item.tokens)))
    return token.type === 'blockquote' ? blocksIn(knownToken(token.tokens)) : []
  })
}
