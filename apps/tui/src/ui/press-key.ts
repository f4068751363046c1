import type { ApprovalId, MessageId } from '@parley/protocol'
import { stepTo, type UiContext, type UiStep } from './actions.ts'
import { answerApproval, releaseHeld, replaceHeldKey } from './answer-approval.ts'
import { approvedNotStarted, noteKey, pendingApprovals } from './answers.ts'
import { applyCommand, chord, commandForKey } from './composer/command.ts'
import { type Composer, emptyComposer, expanded, replace } from './composer/composer.ts'
import { pressInForm } from './fill-form.ts'
import { inputHistory, inputText, isInboxPaused, isWhole } from './inbox.ts'
import type { KeyEvent } from './keys/key-event.ts'
import { pressInMenu } from './press-in-menu.ts'
import { pressStopKey, type StopKey } from './press-stop.ts'
import { noteMissing, noteReadOnly, runSlash } from './run-slash.ts'
import { chosenCompletion, completionsOf, parseSlash } from './slash-commands.ts'
import { addNote, message, type UiState, type Unsent } from './ui-state.ts'
import { isComposerHidden, openByKey, setWriting } from './write-over-question.ts'

const stopKeys: Readonly<Record<string, StopKey>> = { escape: 'escape', 'ctrl+c': 'ctrl+c', 'ctrl+d': 'ctrl+d' }

/** Handles one key. The first that uses it wins: stop keys, the list, the link, an approval, the text. */
export function pressKey(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  if (event.kind === 'reply' || event.kind === 'ignored') return stepTo(ui)
  const step = replaceHeldKey(ui, event, context) ?? releasedStep(ui, event, context)
  const isAsked = step.ui.composer.text === '' || isComposerHidden(step.ui, context.state)
  const reached = isAsked ? step.ui.reached : null
  const used = { ...step, ui: { ...step.ui, reached, guard: noteKey(step.ui.guard, context.nowMs) } }
  return stampAnswer(ui, used, context)
}

function releasedStep(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  const released = releaseHeld(ui, event, context)
  return released.isUsed ? stepTo(released.ui) : keyStep(released.ui, event, context)
}

/** Records the time of an answer. */
export function stampAnswer(before: UiState, step: UiStep, { nowMs }: UiContext): UiStep {
  const answeredAtMs = step.ui.answeredApproval === before.answeredApproval ? before.answeredAtMs : nowMs
  return { ...step, ui: { ...step.ui, answeredAtMs } }
}

function keyStep(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  const key = event.kind === 'key' ? chord(event) : null
  const stop = key === null ? undefined : stopKeys[key]
  if (stop !== undefined) return pressStopKey(ui, stop, context)
  if (key === 'ctrl+z') return stepTo(ui, { kind: 'suspend' })
  if (ui.menu !== null) return pressInMenu(ui, ui.menu, event, context)
  if (ui.link.kind === 'lost' && asksToRestart(ui, event))
    return stepTo({ ...ui, link: { kind: 'starting' } }, { kind: 'restart' })
  const filled = pressInForm(ui, event, context.state)
  if (filled !== null) return filled
  const answered = answerApproval(ui, event, context)
  if (answered !== null) return answered
  const opened = openByKey(ui, event, context)
  if (opened !== null) return opened
  if (key === 'enter' || key === 'alt+enter') return pressEnter(ui, key === 'enter' ? 'steer' : 'queue', context)
  return pressInList(ui, key) ?? editQueued(ui, key, context) ?? write(ui, event, context)
}

function asksToRestart({ composer }: UiState, event: KeyEvent): boolean {
  if (event.kind === 'text') return event.text === 'r' && composer.text === ''
  return event.kind === 'key' && chord(event) === 'ctrl+r'
}

function pressInList(ui: UiState, key: string | null): UiStep | null {
  const list = completionsOf(ui)
  if (list.length === 0) return null
  if (key === 'up' || key === 'down') {
    const choice = (ui.choice + (key === 'up' ? list.length - 1 : 1)) % list.length
    return stepTo({ ...ui, choice })
  }
  const chosen = chosenCompletion(ui)
  if (key !== 'tab' || chosen === null) return null
  const composer = replace(ui.composer, { start: 0, end: ui.composer.text.length, text: `/${chosen.name} ` })
  return stepTo({ ...ui, composer, choice: 0 })
}

const tooLongToEdit = 'The message that waits is too long to be changed here. It goes out as it was sent.'

/** Edits the newest queued message on Up in an empty composer. */
function editQueued(ui: UiState, key: string | null, { state }: UiContext): UiStep | null {
  if (key !== 'up' || ui.composer.text !== '' || ui.purpose.kind !== 'message') return null
  const newest = state?.core.inbox.at(-1)
  if (newest === undefined) return null
  if (!isWhole(newest.content)) return stepTo(addNote(ui, 'info', tooLongToEdit))
  const composer = replace(ui.composer, { start: 0, end: 0, text: inputText(newest.content) })
  return stepTo({ ...ui, composer, purpose: { kind: 'edit', messageId: newest.messageId } })
}

function write(ui: UiState, event: KeyEvent, { state, columns }: UiContext): UiStep {
  const command = commandForKey(event)
  if (command === null) return stepTo(ui)
  const composer = applyCommand(ui.composer, command, { columns, history: inputHistory(state, ui) })
  if (composer.text === ui.composer.text) return stepTo({ ...ui, composer })
  // Text that is deleted to its end leaves the composer open: the next letter is no answer.
  return stepTo({ ...setWriting(ui, state, true), composer, choice: 0, dismissed: null })
}

/** Handles Enter by the purpose of the text; never answers an approval. */
function pressEnter(ui: UiState, when: Unsent['when'], context: UiContext): UiStep {
  const { purpose } = ui
  // Without a server the text could not be delivered: it stays in the composer.
  if (purpose.kind !== 'message' && ui.link.kind !== 'up') return stepTo(ui)
  if (purpose.kind === 'note') return denyWithNote(ui, purpose.approvalId)
  if (purpose.kind === 'edit') return changeQueued(ui, purpose.messageId)
  const completed = completedCommand(ui)
  if (completed !== null)
    return completed.runs ? submitText(cleared(ui), completed.text, when, context) : stepTo(completed.ui)
  const submission = submit(ui.composer)
  switch (submission.kind) {
    case 'newline':
      return stepTo({ ...ui, composer: submission.composer })
    case 'nothing':
      return continueWaiting(ui, context)
    case 'send':
      return submitText({ ...ui, composer: submission.composer, writing: null }, submission.text, when, context, ui)
  }
}

/** Returns the chosen completion, to run at once or, if it needs an argument, to complete in the composer. */
function completedCommand(ui: UiState): { ui: UiState; text: string; runs: boolean } | null {
  const chosen = chosenCompletion(ui)
  if (chosen === null) return null
  const composer = replace(ui.composer, { start: 0, end: ui.composer.text.length, text: `/${chosen.name} ` })
  const needsArgument = chosen.argument !== '' && !chosen.argument.startsWith('[')
  const whole = ui.composer.text.trim() === `/${chosen.name}` ? noteMissing(ui, chosen.name) : ui
  return { ui: { ...whole, composer, choice: 0 }, text: `/${chosen.name}`, runs: !needsArgument }
}

/** Continues what waits for the user, when the composer is empty. */
function continueWaiting(ui: UiState, { state }: UiContext): UiStep {
  if (ui.link.kind !== 'up' || pendingApprovals(state, ui).length > 0) return stepTo(ui)
  const waits = approvedNotStarted(state).length > 0 || state?.core.turn?.parked === true || isInboxPaused(state)
  return waits ? stepTo(ui, { kind: 'continue' }) : stepTo(ui)
}

function submitText(
  entered: UiState,
  text: string,
  when: Unsent['when'],
  context: UiContext,
  before: UiState = entered,
): UiStep {
  const ui = { ...entered, refusedText: null }
  const refused = { ...entered, refusedText: text }
  const command = parseSlash(text.trim())
  // The blank may be a slip in a message or in a command: the text stays to be changed.
  if (command?.kind === 'unknown' && command.word === '') return runSlash(before, command, context)
  if (command !== null) return runSlash(command.kind === 'unknown' ? refused : ui, command, context)
  if (ui.link.kind === 'lost') return stepTo(before)
  if (ui.opened?.readOnly) return stepTo(noteReadOnly(refused))
  if (!text.startsWith('!')) return sendMessage(ui, { messageId: context.freshId, text, when })
  const line = text.slice(1).trim()
  if (ui.opened === null) return stepTo(before)
  return line === '' ? stepTo(before) : stepTo(ui, { kind: 'shell', command: line })
}

/** Sends a message, or holds it until the server answers; held messages go out in order. */
function sendMessage(ui: UiState, unsent: Unsent): UiStep {
  const held = { ...ui, unsent: [...ui.unsent, unsent] }
  return ui.opened === null || ui.link.kind !== 'up' ? stepTo(held) : stepTo(held, { kind: 'send', message: unsent })
}

function denyWithNote(ui: UiState, approvalId: ApprovalId): UiStep {
  const note = expanded(ui.composer).trim()
  const answered = { ...cleared(ui), answeredApproval: approvalId }
  return stepTo(answered, { kind: 'decide', approvalId, decision: 'denied', ...(note === '' ? {} : { note }) })
}

function changeQueued(ui: UiState, messageId: MessageId): UiStep {
  const text = expanded(ui.composer)
  return stepTo(
    cleared(ui),
    text.trim() === '' ? { kind: 'removeQueued', messageId } : { kind: 'editQueued', messageId, text },
  )
}

function cleared(ui: UiState): UiState {
  return {
    ...ui,
    composer: { ...emptyComposer, killed: ui.composer.killed },
    purpose: message,
    writing: null,
    choice: 0,
  }
}

type Submission =
  | { readonly kind: 'send'; readonly text: string; readonly composer: Composer }
  | { readonly kind: 'newline'; readonly composer: Composer }
  | { readonly kind: 'nothing' }

/** Returns what Enter submits; a backslash at the line's end becomes a line end instead. */
export function submit(composer: Composer): Submission {
  const { text, caret } = composer
  const atLineEnd = caret === text.length || text[caret] === '\n'
  if (atLineEnd && text[caret - 1] === '\\') {
    return { kind: 'newline', composer: replace(composer, { start: caret - 1, end: caret, text: '\n' }) }
  }
  if (text.trim() === '') return { kind: 'nothing' }
  return { kind: 'send', text: expanded(composer), composer: { ...emptyComposer, killed: composer.killed } }
}
