import { answerNote, callFacts, callVerb } from '@parley/presentation/items/call-facts'
import { entriesOf, type TranscriptEntry } from '@parley/presentation/items/entries'
import { type Exported, missingWords } from '@parley/presentation/items/exported'
import { blockedWords, commandVerbs, patchVerb, toolVerbs } from '@parley/presentation/items/item-words'
import { cleanInput, shownName } from '@parley/presentation/text/control-characters'
import { countOf } from '@parley/presentation/text/formats'
import { costText, tokenWords } from '@parley/presentation/text/token-words'
import type { CallItem, Item, ItemOf } from '@parley/protocol'
import { markdownOf } from '../pager/copied-text.ts'

/** Writes a conversation as Markdown, in pieces: its head, then each entry, look-ups as one line. */
export function* markdownDocument(exported: Exported): Generator<string> {
  yield `${headOf(exported)}\n`
  for (const entry of entriesOf(exported.items)) {
    yield `\n${cleanInput(textOf(entry)).trimEnd()}\n`
  }
  for (const words of missingWords(exported)) yield `\n*${words}*\n`
}

function headOf({ core: { meta, settings, usage, counts }, program, times }: Exported): string {
  const cost = usage.total.costUsd === undefined ? [] : [costText(usage.total)]
  const facts = [
    settings.model,
    meta.cwd,
    countOf(counts.turns, 'turn'),
    `begun ${times.begun}`,
    tokenWords(usage.total),
    ...cost,
  ]
  return [
    `# ${shownName(meta.name ?? (meta.title || 'Conversation'))}`,
    facts.map(shownName).join(' · '),
    `Conversation ${meta.conversationId}, written ${times.written} by ${program}.`,
  ].join('\n\n')
}

function textOf(entry: TranscriptEntry): string {
  if (entry.kind === 'item') return entryText(entry.completed.item)
  return entry.kind === 'plan' ? `Plan: ${entry.steps.join('  ')}` : lookUpLine(entry.words)
}

function lookUpLine(words: readonly string[]): string {
  return `Looked at ${[...new Set(words)].join(' · ')}`
}

function entryText(item: Item): string {
  const parts = [markdownOf(item), aboutEntry(item)]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Returns the facts of an entry besides its text: images, and the end of a call that did not go well. */
function aboutEntry(item: Item): string {
  switch (item.type) {
    case 'userMessage':
      return item.content
        .flatMap((part) => (part.type === 'image' ? [`(image ${shownName(part.name)})`] : []))
        .join(' ')
    case 'commandExecution':
    case 'shellCommand':
    case 'toolCall':
    case 'fileChange':
      return aboutCall(item)
    default:
      return ''
  }
}

function aboutCall(item: CallItem | ItemOf<'shellCommand'>): string {
  const facts = callFacts(item).map(({ text }) => text)
  const note = item.type === 'shellCommand' ? null : answerNote(item)
  const blocked = item.type === 'commandExecution' ? blockedWords(item) : null
  const said = [verbOfCall(item), facts.join(''), note, item.failure?.message ?? null, blocked]
  return said.flatMap((part) => (part === null || part === '' ? [] : [shownName(part)])).join(' · ')
}

/** Returns the verb of a call that its text does not show: of a patch, and of a call that was not carried out. */
function verbOfCall(item: CallItem | ItemOf<'shellCommand'>): string | null {
  if (item.type === 'fileChange') return patchVerb(item)
  return item.status === 'completed' ? null : callVerb(item, item.type === 'toolCall' ? toolVerbs : commandVerbs)
}
