import type { ConversationState, ItemId } from '@parley/protocol'
import { stepTo, type UiContext, type UiStep } from './actions.ts'
import { forgetPainted, pendingApprovals } from './answers.ts'
import { applyCommand } from './composer/command.ts'
import { emptyComposer } from './composer/composer.ts'
import { previousField } from './fill-form.ts'
import { inputText, isWhole, ownQueued } from './inbox.ts'
import { completionsOf } from './slash-commands.ts'
import { type Interrupts, leaveNotOffered, message, type UiState } from './ui-state.ts'
import { isComposerHidden, isComposerOverApproval, setWriting } from './write-over-question.ts'

/** Keys that stop something; SIGINT from outside counts as Ctrl+C. */
export type StopKey = 'escape' | 'ctrl+c' | 'ctrl+d'

export interface Situation {
  readonly textEmpty: boolean
  /** True if a list or another overlay covers the composer. */
  readonly overlayOpen: boolean
  /** State of the turn. `stopping`: an interrupt was sent and not yet confirmed. */
  readonly turn: 'none' | 'running' | 'stopping'
  /** True if a command of the user runs that is not being stopped, and no question is open. */
  readonly commandRuns: boolean
  readonly nowMs: number
}

export type StopAction =
  | 'none'
  | 'clearText'
  | 'closeOverlay'
  | 'stopCommand'
  | 'interruptTurn'
  | 'offerToLeave'
  | 'leave'
  | 'deleteAfter'

export interface Stop {
  readonly interrupts: Interrupts
  readonly action: StopAction
}

/** Time in which a second Ctrl+C leaves. */
const leaveWithinMs = 2_000

/**
 * Returns what a stop key does. Ctrl+C clears text, then stops the user's own command, then the turn, then offers to
 * leave, then leaves. Escape closes overlays, else stops. Ctrl+D leaves on an empty composer.
 */
export function pressStop(interrupts: Interrupts, key: StopKey, situation: Situation): Stop {
  switch (key) {
    case 'escape':
      return { interrupts: leaveNotOffered, action: escapeAction(situation) }
    case 'ctrl+d':
      return { interrupts: leaveNotOffered, action: endAction(situation) }
    case 'ctrl+c':
      return pressControlC(interrupts, situation)
  }
}

/** Returns true while a second Ctrl+C leaves. */
export function isLeaveOffered({ armedUntilMs }: Interrupts, nowMs: number): boolean {
  return armedUntilMs !== null && nowMs <= armedUntilMs
}

function escapeAction({ overlayOpen, turn, commandRuns }: Situation): StopAction {
  if (overlayOpen) return 'closeOverlay'
  if (commandRuns) return 'stopCommand'
  return turn === 'running' ? 'interruptTurn' : 'none'
}

function endAction({ textEmpty, overlayOpen }: Situation): StopAction {
  if (overlayOpen) return 'closeOverlay'
  return textEmpty ? 'leave' : 'deleteAfter'
}

/** Handles Ctrl+C; does not wait for a stopping turn, because a hanging server must not keep the user. */
function pressControlC(interrupts: Interrupts, situation: Situation): Stop {
  if (!situation.textEmpty) return { interrupts: leaveNotOffered, action: 'clearText' }
  if (situation.commandRuns) return { interrupts: leaveNotOffered, action: 'stopCommand' }
  if (situation.turn === 'running') return { interrupts: leaveNotOffered, action: 'interruptTurn' }
  if (isLeaveOffered(interrupts, situation.nowMs)) return { interrupts: leaveNotOffered, action: 'leave' }
  return { interrupts: { armedUntilMs: situation.nowMs + leaveWithinMs }, action: 'offerToLeave' }
}

/** Handles Escape, Ctrl+C and Ctrl+D. */
export function pressStopKey(ui: UiState, key: StopKey, context: UiContext): UiStep {
  // Leaving would lose text that the question hides.
  const isHidden = isComposerHidden(ui, context.state)
  if (key === 'ctrl+d' && isHidden && ui.composer.text !== '') return stepTo(setWriting(ui, context.state, true))
  if (key === 'escape' && isComposerOverApproval(ui, context.state) && completionsOf(ui).length === 0)
    return stepTo(setWriting(ui, context.state, false))
  const pressed = ui.menu !== null && key === 'ctrl+c' ? 'escape' : key
  const { interrupts, action } = pressStop(ui.interrupts, pressed, situationOf(ui, context))
  return actOnStop({ ...ui, interrupts }, action, context)
}

function situationOf(ui: UiState, { state, nowMs }: UiContext): Situation {
  const takesPart = ui.link.kind === 'up' && ui.opened?.readOnly !== true
  const turn = takesPart ? (state?.core.turn ?? null) : null
  const command = runningShellCommand(state)
  const isAsked = pendingApprovals(state, ui).length > 0
  const isHidden = isComposerHidden(ui, state)
  return {
    textEmpty: ui.composer.text === '' || isHidden,
    overlayOpen: ui.menu !== null || ui.purpose.kind !== 'message' || hasListOrRule(ui, state),
    turn: turn === null ? 'none' : ui.stoppingTurn === turn.id ? 'stopping' : 'running',
    commandRuns: takesPart && command !== null && ui.stoppingCommand !== command && !isAsked,
    nowMs,
  }
}

/** Returns true if completions of the text or the rule of an approval are shown. */
function hasListOrRule(ui: UiState, state: UiContext['state']): boolean {
  return isComposerHidden(ui, state) ? isRuleShown(ui, state) : completionsOf(ui).length > 0
}

function isRuleShown(ui: UiState, state: UiContext['state']): boolean {
  return ui.remembering !== null && pendingApprovals(state, ui)[0]?.id === ui.remembering
}

/** Returns the newest running command of the user. */
export function runningShellCommand(state: ConversationState | null): ItemId | null {
  const commands = Object.values(state?.core.open ?? {}).filter(({ item }) => item.type === 'shellCommand')
  return commands.at(-1)?.item.id ?? null
}

function actOnStop(ui: UiState, action: StopAction, context: UiContext): UiStep {
  switch (action) {
    case 'none':
    case 'offerToLeave':
      return stepTo(ui)
    case 'clearText':
      return stepTo({
        ...ui,
        composer: applyCommand(ui.composer, { kind: 'clear' }, { columns: context.columns, history: [] }),
        purpose: ui.purpose.kind === 'form' ? ui.purpose : message,
        writing: null,
      })
    case 'closeOverlay':
      return closeOverlay(ui, context)
    case 'stopCommand':
      return stepTo({ ...ui, stoppingCommand: runningShellCommand(context.state) }, { kind: 'stopShell' })
    case 'interruptTurn':
      return interruptTurn(ui, context)
    case 'deleteAfter':
      return stepTo({
        ...ui,
        composer: applyCommand(ui.composer, { kind: 'deleteAfter' }, { columns: context.columns, history: [] }),
      })
    case 'leave':
      return stepTo(ui, { kind: 'leave' })
  }
}

function closeOverlay(ui: UiState, { state }: UiContext): UiStep {
  if (ui.menu !== null) return ui.opened === null ? stepTo(ui, { kind: 'leave' }) : stepTo({ ...ui, menu: null })
  if (ui.purpose.kind === 'form') return stepTo(previousField(ui, ui.purpose.form, state))
  if (ui.purpose.kind !== 'message')
    return stepTo({ ...ui, purpose: message, composer: { ...emptyComposer, killed: ui.composer.killed } })
  if (isComposerHidden(ui, state)) return stepTo({ ...ui, remembering: null, guard: forgetPainted(ui.guard) })
  return stepTo({ ...ui, dismissed: ui.composer.text })
}

/**
 * Interrupts the turn and returns this client's queued messages to the composer, the oldest first. They were meant for
 * the turn that ends; messages too long to edit stay queued.
 */
function interruptTurn(ui: UiState, { state }: UiContext): UiStep {
  const turnId = state?.core.turn?.id
  if (turnId === undefined) return stepTo(ui)
  const back = ownQueued(state, ui)
    .filter(({ content }) => isWhole(content))
    .toReversed()
    .map(({ messageId, content }) => ({ kind: 'takeBack', messageId, text: inputText(content) }) as const)
  return stepTo({ ...ui, stoppingTurn: turnId }, ...back, { kind: 'interrupt', turnId })
}
