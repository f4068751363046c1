import { type Files, LogView, sessionPaths } from '@parley/journal'
import { type Facts, storedFacts } from '@parley/policy'
import {
  type CallItem,
  type ConversationId,
  type EventOf,
  type ItemId,
  initialState,
  isCall,
  type Settings,
} from '@parley/protocol'
import { createLogFold, createLogReader } from '../conversation/log-reader.ts'
import { rejection } from '../replies/rejection.ts'

/** Returns the facts stored with a call: on its item once it has ended, with its question while it waits. */
export function factsOf({ item, questions }: Pick<RecordedCall, 'item' | 'questions'>): Facts | null {
  return storedFacts(item.facts ?? questions.at(-1)?.asked.facts)
}

/** Call of a log, with the settings under which it was decided. */
export interface RecordedCall {
  readonly item: CallItem
  readonly settings: Settings
  /** Working folder of the conversation then. */
  readonly cwd: string
  /** Questions about it with their answers, oldest first. */
  readonly questions: readonly Question[]
  /** Rule or answer in `execution.started`, as the item holds no decision before it ends. Null before the start. */
  readonly allowedBy: EventOf<'execution.started'>['decidedBy'] | null
}

export interface Question {
  readonly asked: EventOf<'approval.requested'>['approval']
  readonly answer: EventOf<'approval.decided'> | null
}

interface Wanted {
  readonly conversation?: string
  readonly cwd?: string
}

/** Returns the search for a conversation: by the start of its id, else the newest one, in the folder if given. */
export function wantedConversation({ conversation, cwd }: Wanted) {
  if (conversation !== undefined) return { prefix: conversation }
  return cwd === undefined ? { last: true } : { last: true, cwd }
}

/** Reads every call from a log, oldest first, waiting ones included. Throws `conversationNotFound`. */
export function recordedCalls(files: Files, home: string, conversationId: ConversationId): readonly RecordedCall[] {
  const paths = sessionPaths(home, conversationId)
  if (paths === null || files.look(paths.log) === null)
    throw rejection('conversationNotFound', `There is no conversation ${conversationId}.`)
  using view = LogView.open(files, paths.log)
  const fold = createLogFold(initialState(conversationId), createLogReader(view.header()))
  const calls = new Map<ItemId, RecordedCall>()
  const questions = new Map<ItemId, Question[]>()
  const begun = new Map<ItemId, EventOf<'execution.started'>['decidedBy']>()
  const note = (item: unknown, settings: Settings) => {
    if (!isItem(item) || !isCall(item)) return
    const { id } = item
    const { cwd } = fold.state.core.meta
    calls.set(id, { item, settings, cwd, questions: questions.get(id) ?? [], allowedBy: begun.get(id) ?? null })
  }
  for (const line of view.lines()) {
    const event = fold.take(line)?.event
    if (event?.type === 'approval.requested') {
      const { itemId } = event.approval
      questions.set(itemId, [...(questions.get(itemId) ?? []), { asked: event.approval, answer: null }])
    } else if (event?.type === 'approval.decided') addAnswer(questions, event)
    else if (event?.type === 'execution.started') begun.set(event.itemId, event.decidedBy)
    else if (event?.type === 'item.completed') note(event.item, fold.state.core.settings)
  }
  const { open, settings } = fold.state.core
  for (const { item } of Object.values(open)) note(item, settings)
  return [...calls.values()]
}

function addAnswer(questions: Map<ItemId, Question[]>, event: EventOf<'approval.decided'>): void {
  for (const [itemId, asked] of questions) {
    if (!asked.some((one) => one.asked.id === event.approvalId)) continue
    questions.set(
      itemId,
      asked.map((one) => (one.asked.id === event.approvalId ? { ...one, answer: event } : one)),
    )
  }
}

function isItem(value: unknown): value is CallItem {
  return typeof value === 'object' && value !== null && 'id' in value && 'type' in value
}
