import { atWordAt } from '@parley/presentation/composer/at-word'
import type { Completion } from '@parley/presentation/composer/completion'
import { inputText } from '@parley/presentation/items/item-words'
import { actorName } from '@parley/presentation/question/answered-words'
import { shownName, strippedLine } from '@parley/presentation/text/control-characters'
import { count } from '@parley/presentation/text/formats'
import type { Line, Room, Span } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import type { ConversationState, MessageId, QueuedMessage } from '@parley/protocol'
import { greatest } from '@parley/text'
import { completionsOf } from '../../ui/completions.ts'
import { layoutComposer } from '../../ui/composer/layout.ts'
import { fieldsOf, optionsOf } from '../../ui/fill-form.ts'
import { heldWords } from '../../ui/people/held-role.ts'
import type { FilledForm } from '../../ui/state/composing.ts'
import type { UiState } from '../../ui/state/ui-state.ts'
import { fittingParts } from '../text/fit-rows.ts'
import { beside, gutterCells, indented, marked } from '../text/gutter.ts'
import { type RowsWithCaret, searchRows } from './search-rows.ts'

/** Returns the rows of the text around the caret. */
export function composerRows(state: ConversationState | null, ui: UiState, room: Room, maxRows: number): RowsWithCaret {
  if (ui.history.search !== null) return searchRows(ui, ui.history.search, state, room)
  const inner = beside(room)
  const { rows, caret } = layoutComposer(ui.composing.composer, inner, Math.max(1, maxRows))
  const mark = promptMark(ui)
  const shown: readonly Line[] =
    ui.composing.composer.text === ''
      ? [truncateLine([{ text: placeholder(state, ui, inner), tone: 'muted' }], inner)]
      : rows
  return { rows: marked(mark, shown), caret: { row: caret.row, column: caret.column + gutterCells } }
}

/** Returns true if Enter runs the text as the user's own command. */
function isOwnCommand({ composing: { purpose, composer } }: UiState): boolean {
  return purpose.kind === 'message' && composer.text.startsWith('!')
}

function promptMark(ui: UiState): Span {
  const { purpose } = ui.composing
  if (isOwnCommand(ui)) return { text: '!', tone: 'warn', bold: true }
  return { text: '›', tone: purpose.kind === 'message' ? 'accent' : 'warn', bold: true }
}

function placeholder(
  state: ConversationState | null,
  { composing: { purpose }, opened, connection: { link } }: UiState,
  room: Room,
): string {
  if (link.kind === 'lost') return 'what you write is kept'
  if (purpose.kind === 'note') {
    const isPlan = state?.core.approvals[purpose.approvalId]?.kind === 'plan'
    return isPlan ? 'what to change' : 'what to do instead'
  }
  if (purpose.kind === 'edit') return 'Enter on an empty line takes the message back'
  if (purpose.kind === 'form') return fieldHint(state, purpose.form)
  if (opened?.readOnly)
    return opened.onlyWatches ? 'read-only: this window watches' : 'read-only view: /fork goes on in a copy'
  if (opened?.heldTo !== undefined) return fittingParts(heldWords(opened.heldTo, opened.person).brief, room)
  if (state?.core.turn !== null && state !== null) return 'Enter adds to this turn, Alt+Enter waits for the next'
  const shell = opened?.person === undefined ? ['! shell'] : []
  return fittingParts(['Ask anything', '@ file', '/ command', ...shell, '? keys'], room)
}

function fieldHint(state: ConversationState | null, form: FilledForm): string {
  const field = fieldsOf(state, form)[form.at]
  if (field === undefined) return ''
  if (optionsOf(field) !== null) return 'arrows or a number choose'
  const kind = field.type === 'string' ? 'text' : field.type === 'integer' ? 'a whole number' : 'a number'
  return field.required ? kind : `${kind}, or nothing`
}

/** Returns what becomes of a command of the user's own: users of a team have no rights on the server's machine. */
function ownCommand({ opened }: UiState): string {
  return opened?.person === undefined
    ? 'You run this yourself: outside the sandbox, with all your rights'
    : 'Only whoever runs the server runs commands by !: ask the model for it'
}

/** Returns completions with the chosen one marked, or a reminder of the rights of the user's own command. */
export function completionRows(ui: UiState, room: Room, maxRows: number): readonly Line[] {
  if (isOwnCommand(ui))
    return indented([truncateLine([{ text: ownCommand(ui), tone: 'muted' }], beside(room))]).slice(0, maxRows)
  const list = completionsOf(ui)
  if (list.length === 0 && isLookingForFiles(ui))
    return indented([truncateLine([{ text: 'looking for files…', tone: 'muted' }], beside(room))]).slice(0, maxRows)
  if (list.length <= maxRows || maxRows < countedFromRows) return listedRows(list, ui.composing.choice, room, maxRows)
  const more = `… ${count(list.length - maxRows + 1)} more (↑↓, or write on)`
  const counted = indented([truncateLine([{ text: more, tone: 'muted' }], beside(room))])
  return [...listedRows(list, ui.composing.choice, room, maxRows - 1), ...counted]
}

/** Returns the rows around the chosen completion. */
function listedRows(list: readonly Completion[], choice: number, room: Room, maxRows: number): readonly Line[] {
  const at = Math.min(choice, list.length - 1)
  const top = Math.max(0, Math.min(at - Math.floor(maxRows / 2), list.length - maxRows))
  const columns = aboutColumn(list, beside(room))
  return list.slice(top, top + maxRows).flatMap((completion, index) => {
    const isChosen = top + index === at
    const shown = fittedName(completion, beside(room))
    const rows = [truncateLine(completionLine(shown, isChosen, columns), beside(room))]
    return isChosen ? marked({ text: '▸', tone: 'accent' }, rows) : indented(rows)
  })
}

/** Returns the cells before the descriptions, the same wherever the list is scrolled to; files have no descriptions. */
function aboutColumn(list: readonly Completion[], room: Room): number {
  const described = list.filter(({ about }) => about !== '')
  return greatest(described.map((completion) => nameOf(fittedName(completion, room)).length))
}

/** Minimum rows for the count of completions that are not shown; below it, the row is one completion more. */
const countedFromRows = 4

/** Share of the room for a command with its arguments; wider ones would leave no room for the description. */
const nameShare = 0.4

/** Returns the completion with the end of a path that is too long, or without arguments that are. */
function fittedName(completion: Completion, room: Room): Completion {
  if (completion.kind === 'file') return endOfPath(completion, room)
  return nameOf(completion).length <= room.columns * nameShare ? completion : { ...completion, argument: '' }
}

/** Returns true while a path is written and the files are being listed. */
function isLookingForFiles({ composing: { composer, purpose }, lists: { files, filesAsked } }: UiState): boolean {
  const isPath = purpose.kind === 'message' && atWordAt(composer) !== null
  return isPath && filesAsked !== null && files?.isWhole !== true
}

function completionLine(completion: Completion, isChosen: boolean, columns: number): Line {
  const { text, about } = completion
  const name = nameOf(completion)
  return [
    { text: shownName(text), ...(isChosen ? { bold: true, tone: 'accent' } : {}) },
    { text: name.slice(text.length), tone: 'muted' },
    { text: about === '' ? '' : `${' '.repeat(columns - name.length + 2)}${about}`, tone: 'muted' },
  ]
}

/** Leaves out the first folders of a path that is too wide: its name tells it apart. */
function endOfPath(completion: Completion, { columns, ambiguous }: Room): Completion {
  let text = completion.text
  for (let slash = text.indexOf('/'); cellWidth(text, ambiguous) > columns; slash = text.indexOf('/', 2)) {
    if (slash === -1 || slash === text.length - 1) break
    text = `…${text.slice(slash)}`
  }
  return { ...completion, text }
}

function nameOf({ text, argument }: Completion): string {
  return argument === '' ? text : `${text} ${argument}`
}

/** Messages shown at most: the newest. */
const maxQueued = 3

/** Returns the messages that are not yet part of the conversation, oldest first. */
export function queueRows(state: ConversationState | null, ui: UiState, room: Room): readonly Line[] {
  const inbox = state?.core.inbox ?? []
  const edited = ui.composing.purpose.kind === 'edit' ? ui.composing.purpose.messageId : null
  const known = new Set(inbox.map(({ messageId }) => messageId))
  const rows = [
    ...inbox
      .filter(({ messageId }) => messageId !== edited)
      .map((message) => row(messageWords(message, ui), inputText(message.content), room)),
    ...ui.outbox.unsent
      .filter(({ messageId }) => !known.has(messageId) && !isTaken(state, messageId))
      .map(({ text }) => row('not sent yet', text, room)),
  ]
  if (rows.length <= maxQueued + 1) return rows
  return [
    ...indented([[{ text: `… ${count(rows.length - maxQueued)} more wait`, tone: 'muted' }]]),
    ...rows.slice(-maxQueued),
  ]
}

/** Returns true if the message's item is already here, before its acknowledgement. */
function isTaken(state: ConversationState | null, messageId: MessageId): boolean {
  return state?.window.some(({ item }) => item.type === 'userMessage' && item.messageId === messageId) ?? false
}

function messageWords({ when, by }: QueuedMessage, { connection: { ownClients } }: UiState): string {
  const place = when === 'steer' ? 'next step' : 'next turn'
  return ownClients.includes(by.clientId) ? place : `${place}, from ${actorName(by)}`
}

function row(when: string, text: string, room: Room): Line {
  const line: Line = [
    { text: `${when}: `, tone: 'muted' },
    { text: strippedLine(text), italic: true },
  ]
  return indented([truncateLine(line, beside(room))])[0] ?? []
}
