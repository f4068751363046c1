import { parseSlash } from '@parley/presentation/commands/slash-commands'
import { emptyComposer } from '@parley/presentation/composer/composer'
import { type KeyAnswer, noteKey } from '@parley/presentation/question/answers'
import type { Approval } from '@parley/protocol'
import { answerByWord, type TypedAnswer } from '../answer-approval.ts'
import { fieldsOf, optionsOf, pressInForm, previousField, showForm } from '../fill-form.ts'
import { keyPress } from '../keys/key-event.ts'
import { type Menu, matching } from '../menu/menu.ts'
import { pressInMenu } from '../press-in-menu.ts'
import { stepTo, type UiContext, type UiStep } from '../state/actions.ts'
import type { FilledForm } from '../state/composing.ts'
import { addNote, addNotice, changePart, type UiState, waitingApprovals } from '../state/ui-state.ts'
import { restart } from './follow-link.ts'
import { pressEnter } from './press-enter.ts'
import { withAnswerTime } from './press-key.ts'
import { closeMenu, closeRule } from './press-stop.ts'

/** Handles a line that was typed as a whole. Several lines that came at once are a message, never an answer. */
export function takeLine(ui: UiState, line: string, context: UiContext): UiStep {
  const step = lineStep(ui, line, context)
  const answered = withAnswerTime(ui, step.ui, context.nowMs)
  return {
    ...step,
    ui: changePart(answered, 'answering', { guard: noteKey(answered.answering.guard, context.nowMs) }),
  }
}

function lineStep(ui: UiState, line: string, context: UiContext): UiStep {
  const word = line.trim().toLowerCase()
  const isCommand = parseSlash(line.trim())?.kind === 'command'
  if (ui.connection.hangs && word === 'restart') return restart(ui)
  if (ui.connection.link.kind === 'lost') return lineWithoutServer(ui, line, word, context)
  if (ui.menu !== null && !(isCommand && ui.opened !== null)) return takeRowLine(ui, ui.menu, line.trim(), context)
  if (ui.composing.purpose.kind === 'form') return takeField(ui, ui.composing.purpose.form, line, context)
  const answered = line.includes('\n') ? null : takeAnswer(ui, line, context)
  return answered ?? enter({ ...ui, menu: null }, line, context)
}

function lineWithoutServer(ui: UiState, line: string, word: string, context: UiContext): UiStep {
  if (word === 'restart' || word === 'r') return restart(ui)
  if (parseSlash(line.trim()) !== null || word === 'exit') return enter(ui, line, context)
  return stepTo(addNote(ui, 'warning', 'Not sent: the server ended. Type restart, then type it again.'))
}

/** Does what Enter does with the line as the text of the composer. */
function enter(ui: UiState, line: string, context: UiContext): UiStep {
  const command = parseSlash(line.trim())
  if (line.trim() === '?' || (command?.kind === 'command' && command.name === 'keys'))
    return stepTo(addNotice(ui, typedWords))
  const begun = ui.composing.composer.text.endsWith('\n') ? ui.composing.composer.text : ''
  const text = begun + line
  const composer = { ...emptyComposer, text, caret: text.length }
  // A whole line needs no completion.
  return pressEnter(changePart(ui, 'composing', { composer, dismissed: text, writing: null }), 'steer', context)
}

const typedWords = {
  kind: 'table',
  title: 'What can be typed',
  rows: [
    ['a line', 'a message; a backslash at its end goes on in the next line, lines pasted at once are one message'],
    ['an empty line', 'lets go on what waits for you'],
    ['yes, no, no and what to do instead, stop', 'answer a question, and the other words that it names'],
    ['/command', '/help lists the commands; a list is answered by a number'],
    ['!command', 'run a command yourself, outside the sandbox'],
    ['Ctrl+C', 'stops the command or the turn; twice, when nothing runs, leaves'],
    ['Ctrl+D', 'leaves; the conversation is kept'],
  ],
} as const

const answersByWord: Readonly<Record<string, KeyAnswer>> = {
  ...{ yes: 'yes', y: 'yes', session: 'yesForConversation', a: 'yesForConversation' },
  ...{ any: 'yesToAny', e: 'yesToAny' },
  ...{ remember: 'remember', r: 'remember', no: 'note', n: 'note', stop: 'stop', why: 'why', w: 'why', v: 'print' },
}

/** Handles the line as an answer to the printed question; null if it is no answer. */
function takeAnswer(ui: UiState, line: string, context: UiContext): UiStep | null {
  const [approval] = waitingApprovals(context.state, ui)
  if (approval === undefined || ui.opened === null || ui.composing.composer.text.endsWith('\n')) return null
  const typed = answerIn(line, approval)
  if (ui.answering.remembering === approval.id && line.trim().toLowerCase() === 'back') return stepTo(closeRule(ui))
  return typed === null ? null : answerByWord(leaveOtherRule(ui, approval), typed, context)
}

/** Words that name the mode to work in by a plan. */
const modesByWord: Readonly<Record<string, KeyAnswer>> = { ask: 'yes', edit: 'yesForConversation' }

/** Returns the answer of a line: a word, or a no with what to do instead. */
function answerIn(line: string, { kind }: Approval): TypedAnswer | null {
  const word = line.trim().toLowerCase()
  const mode = kind === 'plan' && Object.hasOwn(modesByWord, word) ? modesByWord[word] : undefined
  if (mode !== undefined) return { word, answer: mode, note: '' }
  if (Object.hasOwn(answersByWord, word)) return { word, answer: answersByWord[word] ?? 'print', note: '' }
  const note = /^\s*no[\s,:]+(\S.*)$/i.exec(line)?.[1]?.trim()
  return note === undefined ? null : { word: 'no', answer: 'note', note }
}

function leaveOtherRule(ui: UiState, { id }: Approval): UiState {
  return ui.answering.remembering === null || ui.answering.remembering === id
    ? ui
    : changePart(ui, 'answering', { remembering: null })
}

function takeField(ui: UiState, form: FilledForm, line: string, context: UiContext): UiStep {
  const { state } = context
  if (line.trim() === '/back') return stepTo(previousField(ui, form, state))
  const field = fieldsOf(state, form)[form.at]
  const options = field === undefined ? null : optionsOf(field)
  if (options === null) {
    const composer = line === '' ? ui.composing.composer : { ...emptyComposer, text: line, caret: line.length }
    return confirmField(changePart(ui, 'composing', { composer }), state)
  }
  if (field?.type === 'choices') return takeSeveral(ui, form, line, options, context)
  const word = line.trim().toLowerCase()
  const named = options.findIndex(({ title }) => title.toLowerCase() === word)
  const choice = word === '' ? form.choice : /^\d+$/.test(word) ? Number(word) - 1 : named
  return confirmField(showForm(ui, { ...form, choice }), state)
}

function confirmField(ui: UiState, state: UiContext['state']): UiStep {
  return pressInForm(ui, keyPress('enter'), state) ?? stepTo(ui)
}

/** Takes numbers or words with commas between them as the choices; an empty line takes the ticked ones. */
function takeSeveral(
  ui: UiState,
  form: FilledForm,
  line: string,
  options: NonNullable<ReturnType<typeof optionsOf>>,
  { state }: UiContext,
): UiStep {
  const words = line.split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim().toLowerCase()]))
  const found = words.map((word) =>
    /^\d+$/.test(word) ? options[Number(word) - 1] : options.find(({ title }) => title.toLowerCase() === word),
  )
  const at = found.indexOf(undefined)
  if (at >= 0 && line.trim().toLowerCase() !== 'none')
    return stepTo(showForm(ui, { ...form, problem: `“${words[at]}” is none of them.` }))
  const chosen = found.flatMap((option) => (typeof option?.value === 'string' ? [option.value] : []))
  const ticked = line.trim() === '' ? form.ticked : chosen
  return confirmField(showForm(ui, { ...form, ticked }), state)
}

const tooEarly = 'Too early: the list has just come. Type it again.'

/** Takes the row of a number; other words search, and `cancel` closes the list. */
function takeRowLine(ui: UiState, menu: Menu, word: string, context: UiContext): UiStep {
  if (word === '' || word === 'cancel') return closeMenu(ui)
  if (menu.rows === null) return stepTo(addNote(ui, 'info', 'The list has not come yet.'))
  if (word === 'all' && menu.folder !== null)
    return stepTo({ ...ui, menu: { ...menu, isFolderOnly: !menu.isFolderOnly, choice: 0 } })
  const row = /^\d+$/.test(word) ? matching(menu)[Number(word) - 1] : undefined
  if (row === undefined) return searchRows(ui, menu, word, context)
  if (row.isDisabled) return stepTo(addNote(ui, 'warning', 'That one cannot be taken.'))
  const confirming = menu.confirming === row.key ? row.key : null
  const before = { ...ui, menu: { ...menu, choice: Number(word) - 1, confirming } }
  const step = pressInMenu(before, before.menu, keyPress('enter'), context)
  return step.ui === before && step.intents.length === 0 ? stepTo(addNote(ui, 'warning', tooEarly)) : step
}

/** Limits the list to rows with these words; a model may also be named that no list has. */
function searchRows(ui: UiState, menu: Menu, text: string, context: UiContext): UiStep {
  const filter = { ...emptyComposer, text, caret: text.length }
  const searched = { ...menu, filter, choice: 0, confirming: null }
  const isNamed = menu.kind === 'model' && matching(searched).length === 0
  return isNamed
    ? pressInMenu({ ...ui, menu: searched }, searched, keyPress('enter'), context)
    : stepTo({ ...ui, menu: searched })
}
