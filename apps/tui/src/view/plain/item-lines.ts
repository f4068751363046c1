import { answerNote, callFacts, callVerb, commandOf, talkText, type Verbs } from '@parley/presentation/items/call-facts'
import {
  blockedWords,
  commandVerbs,
  patchTitle,
  patchVerb,
  reasoningHeading,
  toolVerbs,
} from '@parley/presentation/items/item-words'
import { lookedAt } from '@parley/presentation/items/looked-at'
import { shownName, stripEffects, visibleLine } from '@parley/presentation/text/control-characters'
import { lineText, type Room } from '@parley/presentation/text/span'
import type { Item, ItemOf } from '@parley/protocol'
import { fileWords } from '@parley/protocol/question'
import { shownOutput } from '../transcript/call-block.ts'
import { noticeText } from '../transcript/notice-block.ts'
import { noticeLines } from './notice-lines.ts'

/** Blanks before lines of others: only lines of parley begin at the margin. */
const othersIndent = '  '
const outputIndent = '    '

/** Room without wrapping. */
const unwrapped: Room = { columns: 100_000 }

type PrintedCall = ItemOf<'commandExecution' | 'shellCommand' | 'toolCall' | 'fileChange'>

/** Returns the lines about a finished item. `author`: name of another client that sent it. */
export function itemLines(item: Item, author: string | null): readonly string[] {
  const looked = lookedAt(item)
  if (looked !== null) return [`Looked at ${looked}`]
  switch (item.type) {
    case 'userMessage':
      return spokenLines(author ?? 'You', item.text)
    case 'agentMessage':
      return messageLines(item.text)
    case 'reasoning': {
      const heading = reasoningHeading(item)
      return heading === '' ? [] : [`Thought: ${heading}`]
    }
    case 'commandExecution':
    case 'toolCall':
    case 'fileChange':
    case 'shellCommand':
      return [`${author === null ? '' : `${author}: `}${callLine(item)}`, ...talkLines(item), ...outputLines(item)]
    case 'contextCompaction':
      return [shownName(item.title), ...(item.text === '' ? [] : messageLines(item.text))]
    case 'notice':
      return noticeLines(item.level, `${author === null ? '' : `${author}: `}${noticeText(item)}`)
    default:
      return unknownLines(item)
  }
}

/** Returns the text of a model as it was written, away from the margin. */
export function messageLines(text: string): readonly string[] {
  return linesOf(stripEffects(text)).map((line) => (line === '' ? '' : othersIndent + line))
}

function spokenLines(name: string, text: string): readonly string[] {
  const [first = '', ...others] = linesOf(stripEffects(text))
  return [`${name}: ${first}`, ...others.map((line) => othersIndent + line)]
}

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split('\n')
}

/** Returns the call with everything that must be said of it, the rights that it had included. */
export function callLine(item: PrintedCall): string {
  const facts = callFacts(item).map(({ text }) => (text === ' · ' ? '; ' : text.replace('✗ ', '')))
  const note = item.type === 'shellCommand' ? null : answerNote(item)
  const block = item.type === 'commandExecution' ? blockedWords(item) : null
  const failure = item.failure === undefined ? null : shownName(item.failure.message)
  return [titleOf(item), facts.join(''), note, failure, block].filter(isSaid).join('; ')
}

function titleOf(item: PrintedCall): string {
  if (item.type === 'fileChange') {
    const files = item.changes.map((change) => fileWords(change)).join('; ')
    return `${patchVerb(item)}: ${files === '' ? visibleLine(patchTitle(item)) : files}`
  }
  if (item.type === 'toolCall') {
    const title = visibleLine(item.title)
    return item.readOnly && item.status !== 'denied' ? title : `${callVerb(item, toolVerbs)} ${title}`
  }
  return `${callVerb(item, item.type === 'shellCommand' ? ownVerbs : commandVerbs)} ${visibleLine(commandOf(item))}`
}

const ownVerbs: Verbs = { done: 'You ran', doing: 'You run', not: 'Not run' }

function talkLines(item: PrintedCall): readonly string[] {
  const talk = talkText(item)
  return talk === null ? [] : messageLines(talk.text)
}

function outputLines(item: PrintedCall): readonly string[] {
  if (item.type === 'fileChange' || item.output === undefined) return []
  if (item.type !== 'shellCommand' && item.status !== 'failed') return []
  return shownOutput(item, unwrapped, '').map((row) => `${outputIndent}${lineText(row)}`.trimEnd())
}

function unknownLines({ title, text }: { readonly title: string; readonly text: string }): readonly string[] {
  return [shownName(title), ...(text === '' ? [] : messageLines(text))]
}

function isSaid(part: string | null): part is string {
  return part !== null && part !== ''
}
