import { type Files, LogView, sessionPaths } from '@parley/journal'
import { type Facts, storedFacts } from '@parley/policy'
import type { EventOf } from '@parley/protocol'
import { type CallItem, initialState, isCall, type Settings } from '@parley/protocol'
import { createLogFold } from '../fold-log.ts'
import { createLogReader } from '../log-reader.ts'
import { rejection } from '../refusal.ts'

/** What policy knew of it: stored on it when it ended, and with the question while it waits. */
export function factsOf({ item, questions }: Pick<RecordedCall, 'item' | 'questions'>): Facts | null {
  return storedFacts(item.facts ?? questions.at(-1)?.asked.facts)
}

/** A call of a conversation, with what held when it was decided. */
export interface RecordedCall {
  readonly item: CallItem
  readonly settings: Settings
  /** The folder the conversation was in. */
  readonly cwd: string
  /** The questions about it and their answers, oldest first. */
  readonly questions: readonly Question[]
  /** The rule or answer that let it begin, from the event, as its item holds no decision until it ends. Null before it has begun. */
  readonly allowedBy: EventOf<'execution.started'>['decidedBy'] | null
}

export interface Question {
  readonly asked: EventOf<'approval.requested'>['approval']
  readonly answer: EventOf<'approval.decided'> | null
}

/** Every call, oldest first, those that wait included; from the log alone, whoever writes it. */
export function recordedCalls(files: Files, home: string, conversationId: string): readonly RecordedCall[] {
  const paths = sessionPaths(home, conversationId)
  if (paths === null || files.look(paths.log) === null)
    throw rejection('conversationNotFound', `There is no conversation ${conversationId}.`)
  using view = LogView.open(files, paths.log)
  const fold = createLogFold(initialState(conversationId), createLogReader(view.header()))
  const calls = new Map<string, RecordedCall>()
  const questions = new Map<string, Question[]>()
  const begun = new Map<string, EventOf<'execution.started'>['decidedBy']>()
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
    } else if (event?.type === 'approval.decided') answer(questions, event)
    else if (event?.type === 'execution.started') begun.set(event.itemId, event.decidedBy)
    else if (event?.type === 'item.completed') note(event.item, fold.state.core.settings)
  }
  const { open, settings } = fold.state.core
  for (const { item } of Object.values(open)) note(item, settings)
  return [...calls.values()]
}

function answer(questions: Map<string, Question[]>, event: EventOf<'approval.decided'>): void {
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
