import { parseSlash, shellLineOf } from '@parley/presentation/commands/slash-commands'
import { completed } from '@parley/presentation/composer/completion'
import { type Composer, emptyComposer, expanded, replace } from '@parley/presentation/composer/composer'
import { needsTerminal } from '@parley/presentation/composer/needs-terminal'
import { namesPart } from '@parley/presentation/composer/part-word'
import { isInboxPaused, refusedNow } from '@parley/presentation/items/turn-words'
import { approvedNotStarted } from '@parley/presentation/question/answers'
import type { ApprovalId, MessageId } from '@parley/protocol'
import { noteArgument, noteReadOnly } from '../command-notes.ts'
import { chosenCompletion, isWritten } from '../completions.ts'
import { maySend } from '../people/held-role.ts'
import { runSlash } from '../run-slash.ts'
import { type Intent, stepTo, type UiContext, type UiStep } from '../state/actions.ts'
import { type Composing, message } from '../state/composing.ts'
import { changePart, hold, type UiState, type Unsent, waitingApprovals } from '../state/ui-state.ts'
import { imagesIn } from './attach-images.ts'

/** Handles Enter by the purpose of the text; never answers an approval. */
export function pressEnter(ui: UiState, when: Unsent['when'], context: UiContext): UiStep {
  const { purpose } = ui.composing
  // Without a server the text could not be delivered: it stays in the composer.
  if (purpose.kind !== 'message' && ui.connection.link.kind !== 'up') return stepTo(ui)
  if (purpose.kind === 'note') return denyWithNote(ui, purpose.approvalId)
  if (purpose.kind === 'edit') return changeQueued(ui, purpose.messageId)
  const chosen = takeCompletion(ui)
  if (chosen !== null) return chosen.runs ? submitText(cleared(ui), chosen.text, when, context) : stepTo(chosen.ui)
  const submission = submit(ui.composing.composer)
  if (submission.kind === 'nothing') return continueWaiting(ui, context)
  const { kind, composer } = submission
  if (kind === 'newline') return stepTo(changePart(ui, 'composing', { composer }))
  const entered = changePart(ui, 'composing', { composer, writing: null })
  return submitText(entered, submission.text, when, context, ui)
}

/**
 * Takes the chosen completion: a command runs at once unless it needs an argument, anything else completes the text. Null
 * where the text is complete, or no argument is begun.
 */
function takeCompletion(ui: UiState): { ui: UiState; text: string; runs: boolean } | null {
  const chosen = chosenCompletion(ui)
  if (chosen === null) return null
  const { composer, choice } = ui.composing
  const { kind, text, argument, start, end } = chosen
  if (kind !== 'command' && isWritten(composer, chosen)) return null
  if (kind === 'argument' && start === end && choice === 0) return null
  const next = changePart(ui, 'composing', { composer: completed(composer, chosen), choice: 0 })
  if (kind !== 'command') return { ui: next, text: next.composing.composer.text, runs: false }
  const needsArgument = argument !== '' && !argument.startsWith('[')
  const isWhole = composer.text.trim() === text
  return { ui: isWhole ? noteArgument(next, chosen) : next, text, runs: !needsArgument }
}

/** Continues what waits for the user, when the composer is empty. */
function continueWaiting(ui: UiState, { state }: UiContext): UiStep {
  if (ui.connection.link.kind !== 'up' || !maySend(ui.opened) || waitingApprovals(state, ui).length > 0)
    return stepTo(ui)
  const waits = approvedNotStarted(state).length > 0 || state?.core.turn?.parked === true || isInboxPaused(state)
  if (waits) return stepTo(ui, { kind: 'continue' })
  const refused = refusedNow(state)
  if (refused !== null)
    return stepTo(ui, refused.seqs.length > 0 ? { kind: 'leaveOut' } : { kind: 'leaveOut', half: true })
  const isRetryAhead = (state?.core.turn?.retry ?? null) !== null && ui.work.stoppingTurn !== state?.core.turn?.id
  return isRetryAhead ? stepTo(ui, { kind: 'retryNow' }) : stepTo(ui)
}

function submitText(
  entered: UiState,
  text: string,
  when: Unsent['when'],
  context: UiContext,
  before: UiState = entered,
): UiStep {
  const ui = changePart(entered, 'history', { refusedText: null })
  const refused = changePart(entered, 'history', { refusedText: text })
  const command = parseSlash(text.trim())
  // The blank may be a slip in a message or in a command: the text stays to be changed.
  if (command?.kind === 'unknown' && command.word === '') return runSlash(before, command, context)
  const isMessage = command?.kind === 'unknown' && namesPart(text.trim(), ui.lists.parts)
  if (command !== null && !isMessage) return runSlash(command.kind === 'unknown' ? refused : ui, command, context)
  if (ui.connection.link.kind === 'lost') return stepTo(before)
  if (!maySend(ui.opened)) return stepTo(noteReadOnly(refused))
  if (text.trim() === 'exit') return stepTo(ui, { kind: 'leave' })
  const line = shellLineOf(text)
  if (line === null) return sendMessage(remembered(ui, before.composing, context), messageOf(ui, text, when, context))
  return ui.opened === null || line === '' ? stepTo(before) : stepTo(ui, commandIntent(ui, line, context))
}

/** Returns how a command of the user's runs: with the terminal where it needs one and the folder is on this machine. */
function commandIntent({ opened }: UiState, command: string, { state }: UiContext): Intent {
  const isHere = state !== null && state.core.settings.environment === undefined && opened?.isFar !== true
  if (!isHere || !needsTerminal(command)) return { kind: 'shell', command }
  return { kind: 'runInTerminal', command, folder: state.core.meta.cwd }
}

/** Returns the message with the images for its marks. */
function messageOf(ui: UiState, text: string, when: Unsent['when'], { freshId }: UiContext): Unsent {
  const images = imagesIn(text, ui.composing)
  return { messageId: freshId, text, when, ...(images.length === 0 ? {} : { images }) }
}

/** Remembers a message that begins a turn, and one with folded pastes, with its text as it was written. */
function remembered(ui: UiState, { composer }: Composing, { freshId, state }: UiContext): UiState {
  const beginsTurn = state === null || state.core.turn === null
  const { text, pastes } = composer
  const used = pastes.filter(({ mark, text: pasted }) => mark !== pasted && text.includes(mark))
  const sentPastes =
    used.length === 0
      ? ui.history.sentPastes
      : [...ui.history.sentPastes, { messageId: freshId, text, pastes: used }].slice(-keptTexts)
  return {
    ...ui,
    history: { ...ui.history, sentPastes },
    outbox: { ...ui.outbox, lastSent: beginsTurn ? { messageId: freshId, composer } : null },
  }
}

/** Newest texts with pastes that are kept to be recalled; one may have 16 MiB. */
const keptTexts = 10

/** Sends a message, or holds it until the server answers; held messages go out in order. */
function sendMessage(ui: UiState, unsent: Unsent): UiStep {
  const held = hold(ui, unsent)
  return ui.opened === null || ui.connection.link.kind !== 'up'
    ? stepTo(held)
    : stepTo(held, { kind: 'send', message: unsent })
}

function denyWithNote(ui: UiState, approvalId: ApprovalId): UiStep {
  const note = expanded(ui.composing.composer).trim()
  const answered = changePart(cleared(ui), 'answering', { answeredApproval: approvalId })
  return stepTo(answered, { kind: 'decide', approvalId, decision: 'denied', ...(note === '' ? {} : { note }) })
}

function changeQueued(ui: UiState, messageId: MessageId): UiStep {
  const text = expanded(ui.composing.composer)
  return stepTo(
    cleared(ui),
    text.trim() === '' ? { kind: 'removeQueued', messageId } : { kind: 'editQueued', messageId, text },
  )
}

function cleared(ui: UiState): UiState {
  const composer = { ...emptyComposer, killed: ui.composing.composer.killed }
  return changePart(ui, 'composing', { composer, purpose: message, writing: null, choice: 0 })
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
