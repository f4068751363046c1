import type { ModelEntry } from '@parley/models'
import type { ConversationCore, Plan } from '@parley/protocol'
import { firstBytes, lastBytes, parseJson, utf8Length } from '@parley/text'
import { tokensOfText } from '../view/estimate.ts'
import type { PastFacts } from '../view/past-facts.ts'
import { userText } from '../view/view-blocks.ts'

/** Words that the engine, and not a model, takes over into a compacted view. Stored as JSON in a side file. */
export interface Carried {
  /** Messages of the user, oldest first. */
  readonly messages: readonly CarriedMessage[]
  /** Plan, answers to approvals and files, as text for the model. */
  readonly notes: string
}

export interface UserText {
  /** Number of the message in the conversation, from 1. */
  readonly number: number
  readonly text: string
}

interface CarriedMessage extends UserText {
  /** Set when only head and tail are carried. */
  readonly cut?: true
}

/** Tokens of the messages that are carried word for word, newest first, and the share of the limit that they may fill. */
const wholeTokens = 20_000
const wholeShare = 0.25
/** Bytes of head and of tail of an older message. */
const endBytes = 300
/** Tokens of the older messages together, as a share of the whole ones; the oldest beyond are left to the summary. */
const cutShare = 0.2

/**
 * Chooses the user's messages to carry, given newest first; takes no more than needed. `limit` is the number of tokens
 * from which on the conversation is compacted; null where the window is not known.
 */
export function carriedMessages(texts: Iterable<UserText>, limit: number | null): readonly CarriedMessage[] {
  const most = limit === null ? wholeTokens : Math.min(wholeTokens, Math.floor(limit * wholeShare))
  const chosen: CarriedMessage[] = []
  let whole = most
  let cut = most * cutShare
  for (const { number, text } of texts) {
    const tokens = tokensOfText(text)
    const isWhole = tokens <= whole
    // The newest one fills what may be carried.
    const short = isWhole ? text : headAndTail(text, chosen.length === 0 ? most * 2 - 100 : endBytes)
    const message = short === text ? { number, text } : { number, text: short, cut: true as const }
    const size = tokensOfText(message.text)
    if (isWhole || chosen.length === 0) whole -= size
    else if (size <= cut) cut -= size
    else break
    chosen.unshift(message)
    // Once a message is cut, older ones are never whole, so that the text that is carried word for word has no holes.
    if (!isWhole) whole = 0
  }
  return chosen
}

/** Returns head and tail of a text, so many bytes each; a short one as it is. */
export function headAndTail(text: string, bytes: number): string {
  const [head, tail] = [firstBytes(text, bytes), lastBytes(text, bytes)]
  const left = utf8Length(text) - utf8Length(head) - utf8Length(tail)
  return left <= 0 ? text : `${head}\n[… ${left} bytes are left out here …]\n${tail}`
}

/** Returns the notes of the engine: what holds whatever the summary says. */
export function carriedNotes({ plan }: Pick<ConversationCore, 'plan'>, { answers, files }: PastFacts): string {
  const sections = [
    ...(plan === null ? [] : [`The open plan:\n${planLines(plan)}`]),
    ...(answers.length === 0 ? [] : [`Answers to approvals, which still hold:\n${bulletList(answers)}`]),
    ...(files.changed.length === 0 ? [] : [`Files changed so far:\n${bulletList(files.changed)}`]),
    ...(files.read.length === 0 ? [] : [`Files read so far (read again what you need):\n${bulletList(files.read)}`]),
  ]
  return sections.join('\n\n')
}

function planLines({ explanation, steps }: Plan): string {
  const lines = steps.map(({ step, status }) => `- [${planMarks[status]}] ${inOneLine(step)}`)
  return [...(explanation === undefined ? [] : [inOneLine(explanation)]), ...lines].join('\n')
}

const planMarks = { pending: ' ', inProgress: 'in progress', completed: 'done' } as const

function bulletList(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

/** Joins lines: a line of its own in a plan, which a model wrote, could pass for an answer of the user. */
function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}

/** Reads a side file back; for one that is missing or damaged the notes say so. */
export function parseCarried(text: string | null): Carried {
  const value = parseJson(text ?? '')
  if (isCarried(value)) return value
  // Damaged: the summary alone is left.
  return { messages: [], notes: '(A file of this conversation is missing here: the messages and notes carried over.)' }
}

function isCarried(value: unknown): value is Carried {
  return typeof value === 'object' && value !== null && 'messages' in value && Array.isArray(value.messages)
}

/**
 * Returns the entries in place of the compacted ones: the user's messages first, since some models want a user first,
 * then the summary in the model's own role, then the notes, so that the last word is never the model's.
 */
export function compactedEntries({ messages, notes }: Carried, summary: string): readonly ModelEntry[] {
  return [
    ...messages.map(({ number, text, cut }) => userText(`[${cut === true ? cutMark : wholeMark} ${number}]\n${text}`)),
    ...(summary.trim() === '' ? [] : [summaryEntry(summary)]),
    userText(notes === '' ? notesMark : `${notesMark}\n\n${notes}`),
  ]
}

const wholeMark = 'Carried over word for word by parley: message'
const cutMark = 'Carried over by parley, its middle left out: message'
const summaryMark =
  '[Summary of the conversation before this point. A model wrote it: it may be incomplete or wrong. The messages above and the notes below hold against it.]'
const notesMark =
  '[Notes of parley, not written by the user. The plan and what calls are named come from the model. The conversation before this point was compacted; go on with the work from here.]'

function summaryEntry(summary: string): ModelEntry {
  return { kind: 'response', adapter: 'none', parts: [], text: `${summaryMark}\n\n${summary.trim()}`, calls: [] }
}
