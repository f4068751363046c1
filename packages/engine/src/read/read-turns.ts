import { timeSlices } from '@parley/host'
import { type Files, LogView, readBack, type SessionPaths } from '@parley/journal'
import {
  answerOf,
  answerText,
  type CompletedItem,
  completedBy,
  type EventOf,
  type PastTurn,
  picturesOf,
  type ResultOf,
} from '@parley/protocol'
import { withoutUndefined } from '@parley/text'
import { createLogReader, type OwnEvent } from '../conversation/journal.ts'
import { cutTexts, jsonBytes } from '../replies/wire-limits.ts'
import { createReplyPage } from './reply-page.ts'

const types: ReadonlySet<string> = new Set(['turn.started', 'turn.ended', 'item.completed'])

/** Reads the newest `limit` turns of a log before a seq (null: all) that fit in a reply, oldest first. */
export async function readTurns(
  files: Files,
  { log }: Pick<SessionPaths, 'log'>,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<ResultOf<'conversation/turns'>> {
  using view = LogView.open(files, log)
  const reader = createLogReader(view.header())
  const slices = timeSlices()
  const page = createReplyPage<PastTurn>(limit)
  let later: LaterPart = nothingLater
  for (const lines of view.read((on, file) => readBack(on, file, { before, types }))) {
    for (const line of lines) {
      const envelope = reader.readOwn(line)
      if (envelope?.event.type !== 'turn.started') {
        later = envelope === null ? later : withEvent(later, envelope)
        continue
      }
      const turn = cutTexts(turnOf({ ...envelope, event: envelope.event }, later))
      later = nothingLater
      if (!page.add(turn, jsonBytes(turn))) return { turns: page.entries.reverse(), more: true }
    }
    if (slices.isOver()) await slices.next()
  }
  return { turns: page.entries.reverse(), more: false }
}

/** Events of a turn that were read before its start, since the log is read backwards. */
interface LaterPart {
  readonly end: (OwnEvent & { readonly event: EventOf<'turn.ended'> }) | null
  readonly message: CompletedItem | null
  /** Messages of the model's last response. */
  readonly answer: readonly CompletedItem[]
}

const nothingLater: LaterPart = { end: null, message: null, answer: [] }

function withEvent(later: LaterPart, { event, seq, at }: OwnEvent): LaterPart {
  // Events behind the end of a turn belong to no turn.
  if (event.type === 'turn.ended') return { ...nothingLater, end: { event, seq, at } }
  if (event.type !== 'item.completed' || event.turnId === undefined) return later
  if (event.item.type === 'userMessage') return { ...later, message: completedBy(event, { seq, at }) }
  if (event.item.type !== 'agentMessage' || !goesOn(later.answer)) return later
  return { ...later, answer: [completedBy(event, { seq, at }), ...later.answer] }
}

/** Tells whether an earlier message belongs to these. */
function goesOn([first]: LaterPart['answer']): boolean {
  return first === undefined || (first.item.type === 'agentMessage' && first.item.continues === true)
}

/** Returns the last message with the texts and pictures of all messages; null without messages. */
function wholeAnswer(messages: LaterPart['answer']): CompletedItem | null {
  const last = messages.at(-1)
  if (last?.item.type !== 'agentMessage') return null
  const { continues: _, images: _own, ...item } = last.item
  const answer = answerOf(messages.map((message) => message.item))
  const images = picturesOf(answer)
  const pictured = images.length === 0 ? {} : { images: [...images] }
  return { ...last, item: { ...item, text: answerText(answer) ?? '', ...pictured } }
}

function turnOf(
  { event, seq, at }: OwnEvent & { readonly event: EventOf<'turn.started'> },
  { end, message, answer }: LaterPart,
): PastTurn {
  const ofEnd = end?.event
  return {
    turnId: event.turnId,
    startSeq: seq,
    startedAt: at,
    endSeq: end?.seq ?? null,
    endedAt: end?.at ?? null,
    outcome: ofEnd?.outcome ?? null,
    ...withoutUndefined({ failure: ofEnd?.failure, stopReason: ofEnd?.stopReason, usage: ofEnd?.usage }),
    message,
    answer: wholeAnswer(answer),
  }
}
