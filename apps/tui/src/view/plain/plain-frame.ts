import { followTurn } from '@parley/presentation/items/turn-clock'
import { limitsWords } from '@parley/presentation/limits/limits-words'
import { actorName } from '@parley/presentation/question/answered-words'
import { lineText } from '@parley/presentation/text/span'
import type { ApprovalId, ConversationCore, ConversationId, ConversationState, ItemId } from '@parley/protocol'
import { fieldsOf } from '../../ui/fill-form.ts'
import { type UiState, waitingApprovals } from '../../ui/state/ui-state.ts'
import type { Scene } from '../scene.ts'
import { endingBlock } from '../transcript/block.ts'
import { isPlanUpdate } from '../transcript/look-ups.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { itemLines, messageLines } from './item-lines.ts'
import { menuLines, menuState } from './menu-lines.ts'
import { localNoticeLines, planLine } from './notice-lines.ts'
import { answerWords, fieldLines, questionLines, ruleLines } from './question-lines.ts'
import { plainStatus, silenceSaidAtMs } from './status-line.ts'

/** Record of printed lines besides finished items and notices. */
export interface Printed {
  readonly conversationId: ConversationId | null
  /** Message that is printed while it arrives, line by line. */
  readonly stream: { readonly itemId: ItemId; readonly text: string } | null
  /** The question, list or field that the next line answers, as JSON; empty without one. */
  readonly asked: string
  readonly status: string | null
  /** Words of the limits in force; empty before a conversation is open. */
  readonly limits: string
  /** Text that came back unsent. */
  readonly returned: string
}

export const nothingPrinted: Printed = {
  conversationId: null,
  stream: null,
  asked: '',
  status: null,
  limits: '',
  returned: '',
}

interface Frame {
  readonly transcript: Transcript
  readonly printed: Printed
  readonly lines: readonly string[]
  /** Question that was printed whole, and is not answered yet. */
  readonly approvalId: ApprovalId | null
  /** Time of the next line without input, in ms since the epoch; null without one. */
  readonly changesAtMs: number | null
}

/** Returns the lines that are new since the last frame, each printed once. */
export function plainFrame(scene: Scene, before: Printed): Frame {
  const { state, ui, transcript } = scene
  const notices = ui.notices.slice(transcript.noticeCount).flatMap(localNoticeLines)
  const known = { ...transcript, noticeCount: ui.notices.length }
  const isSame = state?.core.meta.conversationId === before.conversationId
  const past = isSame
    ? before
    : { ...before, conversationId: state?.core.meta.conversationId ?? null, stream: null, limits: '' }
  const told = state === null ? null : conversationLines({ ...scene, transcript: known, state }, past)
  const stream = told === null ? past.stream : told.stream
  const clock = (told?.transcript ?? known).turn
  const status = plainStatus(state, ui, { nowMs: scene.nowMs, clock })
  const asked = askedNow(scene)
  const returned = returnedText(ui)
  const limits = state === null ? '' : `${ui.opened?.isSafe === true ? 'safe, ' : ''}${limitsWords(state.core)}`
  return {
    transcript: told?.transcript ?? known,
    printed: { ...past, stream, status, asked: asked.key, limits, returned },
    lines: [
      ...notices,
      ...(limits === '' || limits === past.limits ? [] : [`Limits: ${limits}.`]),
      ...(told?.lines ?? []),
      ...(status === null || status === before.status ? [] : [status]),
      ...(returned === '' || returned === before.returned
        ? []
        : ['Not sent, type it again:', ...messageLines(returned)]),
      ...(asked.key === before.asked ? [] : asked.lines),
    ],
    approvalId: asked.approvalId,
    changesAtMs: silenceSaidAtMs(clock, scene.nowMs),
  }
}

interface Told {
  readonly transcript: Transcript
  readonly stream: Printed['stream']
  readonly lines: readonly string[]
}

function conversationLines(scene: Scene & { readonly state: ConversationState }, before: Printed): Told {
  const { state, transcript, nowMs, utcOffsetMs } = scene
  const { core } = state
  const finished = finishedLines(scene, before.stream)
  const plan = JSON.stringify(core.plan)
  const planTurn = plan === transcript.plan ? transcript.planTurn : (core.turn?.id ?? null)
  const open = streamed(state, finished.stream)
  const turn = followTurn(transcript.turn, state, nowMs)
  const clock = transcript.turn !== null && turn?.turnId !== transcript.turn.turnId ? transcript.turn : null
  return {
    transcript: { ...transcript, itemCount: core.counts.items, plan, planTurn, turn },
    stream: open.stream,
    lines: [
      ...finished.lines,
      ...(core.plan === null || plan === transcript.plan ? [] : [planLine(core.plan)]),
      ...open.lines,
      ...(clock === null
        ? []
        : [
            endingWords(
              endingBlock(clock, { core, plan: planTurn === clock.turnId ? core.plan : null }, utcOffsetMs),
              core,
            ),
          ]),
    ],
  }
}

const endings = { completed: 'done', interrupted: 'stopped', failed: 'failed' } as const

/** Returns how a turn ended: the next line begins another one. */
function endingWords(block: ReturnType<typeof endingBlock>, { lastTurn }: ConversationCore): string {
  return block === null ? endings[lastTurn?.outcome ?? 'completed'] : block.lines.map(lineText).join(' ')
}

/** Returns the lines of newly finished items, without messages typed in this window. */
function finishedLines(
  { state, transcript, ui }: Scene & { readonly state: ConversationState },
  before: Printed['stream'],
): Pick<Told, 'stream' | 'lines'> {
  const first = state.core.counts.items - state.window.length
  const begin = Math.max(0, transcript.itemCount - first)
  const isOwn = (item: object) =>
    'by' in item && ui.connection.ownClients.includes(Reflect.get(Object(item.by), 'clientId'))
  let stream = before
  const lines = state.window.slice(begin).flatMap(({ item }, index) => {
    if (stream !== null && stream.itemId === item.id) {
      const { text } = stream
      stream = null
      return item.text.startsWith(text)
        ? restLines(item.text.slice(text.length))
        : [
            'Warning: the server saved this answer with a different text; the saved answer is:',
            ...messageLines(item.text),
          ]
    }
    if (isPlanUpdate(item) || (item.type === 'userMessage' && isOwn(item))) return []
    const isNew = first + begin + index >= transcript.earlierItems
    return itemLines(item, isNew && 'by' in item && item.by !== undefined && !isOwn(item) ? actorName(item.by) : null)
  })
  return { stream, lines }
}

/** Returns the whole lines that have come of an open message, one message at a time. */
function streamed({ core }: ConversationState, before: Printed['stream']): Pick<Told, 'stream' | 'lines'> {
  if (before !== null && core.open[before.itemId] === undefined)
    return { stream: null, lines: before.text === '' ? [] : ['Warning: the answer broke off here.'] }
  const message = Object.values(core.open).find(({ item }) => item.type === 'agentMessage')?.item
  const open = before === null ? message : core.open[before.itemId]?.item
  if (open === undefined) return { stream: before, lines: [] }
  const seen = before?.text ?? ''
  const end = open.text.lastIndexOf('\n') + 1
  if (end <= seen.length || !open.text.startsWith(seen)) return { stream: { itemId: open.id, text: seen }, lines: [] }
  const lines = messageLines(`${open.text.slice(seen.length, end - 1)}|`).slice()
  return { stream: { itemId: open.id, text: open.text.slice(0, end) }, lines: withoutMark(lines) }
}

/** Removes the mark behind the last line, which keeps blank lines at the end from being trimmed. */
function withoutMark(lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => (index === lines.length - 1 ? line.slice(0, -1).trimEnd() : line))
}

function restLines(text: string): readonly string[] {
  return text.trim() === '' ? [] : messageLines(text)
}

/** Returns text that the server did not take and that nothing has been added to. */
function returnedText({ composing: { composer, purpose } }: UiState): string {
  return purpose.kind === 'message' && !composer.text.endsWith('\n') ? composer.text : ''
}

interface PrintedQuestion {
  readonly key: string
  readonly lines: readonly string[]
  readonly approvalId: ApprovalId | null
}

const nothingAsked: PrintedQuestion = { key: '', lines: [], approvalId: null }

/** Returns the question for the next line: a list, the field of a form, a rule, or an approval. */
function askedNow({ state, ui, homeFolder, nowMs }: Scene): PrintedQuestion {
  if (ui.menu !== null)
    return { key: menuState(ui.menu), lines: menuLines(ui.menu, { homeFolder, nowMs }), approvalId: null }
  const approvals = waitingApprovals(state, ui)
  const [approval] = approvals
  if (approval === undefined || state === null || ui.connection.link.kind !== 'up' || ui.opened === null)
    return nothingAsked
  const { id: approvalId } = approval
  if (ui.composing.purpose.kind === 'form') {
    const { form } = ui.composing.purpose
    const field = fieldsOf(state, form)[form.at]
    const key = JSON.stringify(['field', approvalId, form.at, form.problem])
    return { key, lines: field === undefined ? [] : fieldLines(field, form), approvalId }
  }
  if (ui.answering.remembering === approvalId)
    return { key: `rule ${approvalId}`, lines: ruleLines(approval, homeFolder), approvalId }
  const asking = { enforcement: state.core.settings.enforcement, homeFolder, waiting: approvals.length }
  const answers = ui.opened.readOnly
    ? 'This window cannot answer; the one with the conversation can.'
    : answerWords(approval)
  return { key: `question ${approvalId}`, lines: [...questionLines(approval, asking), answers], approvalId }
}
