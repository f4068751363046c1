import type { ConversationState, ItemId, MessageId } from '@parley/protocol'
import { completionsOf } from '../completions.ts'
import type { Situation } from '../keys/key-meaning.ts'
import type { KeyCondition, KeyPlace } from '../keys/key-table.ts'
import { maySend, onlyReads } from '../people/held-role.ts'
import { type UiState, type WorkControl, waitingApprovals } from '../state/ui-state.ts'
import { isComposerHidden, isComposerOverApproval } from '../write-over-question.ts'

/** Returns what holds for keys now. */
export function situationOf(ui: UiState, state: ConversationState | null): Situation {
  return { places: placesOf(ui, state), holds: (condition) => holds(condition, ui, state) }
}

/** Returns the places that hold, the innermost first. */
export function placesOf(ui: UiState, state: ConversationState | null): readonly KeyPlace[] {
  if (ui.menu !== null) return [...(ui.menu.picker === null ? [] : (['picker'] as const)), 'menu', 'anywhere']
  const input = inputPlace(ui, state)
  const work = workPlaces(ui, state)
  if (ui.connection.link.kind === 'lost') return ['lost', input, ...work, 'anywhere']
  if (!ui.connection.hangs) return [input, ...work, 'anywhere']
  // An open search goes on with Ctrl+R, which would end the server otherwise.
  return input === 'search' ? [input, 'hanging', ...work, 'anywhere'] : ['hanging', input, ...work, 'anywhere']
}

function inputPlace(ui: UiState, state: ConversationState | null): KeyPlace {
  if (ui.history.search !== null) return 'search'
  if (ui.composing.purpose.kind !== 'message') return ui.composing.purpose.kind
  if (isComposerHidden(ui, state)) return isRuleShown(ui, state) ? 'rule' : 'question'
  if (completionsOf(ui).length > 0) return 'completions'
  return isComposerOverApproval(ui, state) ? 'writing' : 'composer'
}

function isRuleShown(ui: UiState, state: ConversationState | null): boolean {
  return ui.answering.remembering !== null && waitingApprovals(state, ui)[0]?.id === ui.answering.remembering
}

/** Returns the places of what runs: a command of the model's that can be sent to the background, within its turn. */
function workPlaces(ui: UiState, state: ConversationState | null): readonly KeyPlace[] {
  const work = workPlace(ui, state)
  if (work === 'idle' && onlyAnswers(ui) && waitingApprovals(state, ui).length > 0) return ['onlyAnswered', work]
  const isRunning = (work === 'turn' || work === 'sent') && foregroundCommand(state) !== null
  return isRunning ? ['running', work] : [work]
}

/** Returns true for a window that answers and does not send: its Escape cannot stop the turn. */
function onlyAnswers({ connection: { link }, opened }: UiState): boolean {
  return link.kind === 'up' && !onlyReads(opened) && !maySend(opened)
}

/** Returns the place of what runs and can be stopped from here. */
function workPlace(ui: UiState, state: ConversationState | null): KeyPlace {
  if (ui.connection.link.kind === 'starting') return ui.outbox.lastSent === null ? 'idle' : 'sent'
  if (ui.connection.link.kind !== 'up' || !maySend(ui.opened)) return 'idle'
  const command = runningShellCommands(ui.work, state).at(-1) ?? null
  const isAsked = waitingApprovals(state, ui).length > 0
  if (command !== null && ui.work.stoppingCommand !== command && !isAsked) return 'command'
  const turn = state?.core.turn ?? null
  if (turn !== null && ui.work.stoppingTurn === turn.id) return 'stopping'
  const { lastSent } = ui.outbox
  if (lastSent !== null && !(state !== null && isAnswered(lastSent.messageId, state))) return 'sent'
  return turn === null ? 'idle' : 'turn'
}

/** Returns true once something of the answer to a message has come, or its turn is over. */
export function isAnswered(messageId: MessageId, { core, window }: ConversationState): boolean {
  const at = window.findLastIndex(({ item }) => item.type === 'userMessage' && item.messageId === messageId)
  return at !== -1 && (core.turn === null || at < window.length - 1 || Object.keys(core.open).length > 0)
}

/** Returns the running commands of the user that are not in the background, the oldest first. */
export function runningShellCommands(
  { inBackground }: WorkControl,
  state: ConversationState | null,
): readonly ItemId[] {
  return Object.values(state?.core.open ?? {})
    .filter(({ item }) => item.type === 'shellCommand' && !inBackground.includes(item.id))
    .map(({ item }) => item.id)
}

/** Returns the model's command that its turn waits for; null without one. */
export function foregroundCommand(state: ConversationState | null): ItemId | null {
  const found = Object.values(state?.core.open ?? {}).find(
    ({ item, executionStarted }) =>
      item.type === 'commandExecution' && item.status === 'inProgress' && executionStarted && item.background !== true,
  )
  return found?.item.id ?? null
}

function holds(condition: KeyCondition, ui: UiState, state: ConversationState | null): boolean {
  const isEmpty = ui.composing.composer.text === '' || isComposerHidden(ui, state)
  switch (condition) {
    case 'empty':
      return isEmpty
    case 'written':
      return !isEmpty
    case 'severalLines':
      return ui.composing.composer.text.includes('\n')
  }
}
