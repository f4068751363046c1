import { actorName, answeredWords } from '@parley/presentation/question/answered-words'
import { type EventOf, modeOf, type SettingsPatch } from '@parley/protocol'
import type { UiAction } from './state/actions.ts'
import { addNote, changePart, type LostLog, type UiState } from './state/ui-state.ts'

/** Adds a notice that another client answered an approval shown here. */
export function noteAnswered(ui: UiState, { by, decision }: EventOf<'approval.decided'>): UiState {
  if (decision === 'withdrawn' || ui.connection.ownClients.includes(by.clientId)) return ui
  return addNote(ui, 'info', answeredWords(by, decision))
}

/** Adds a notice of settings that another client changed. */
export function noteConfigured(
  ui: UiState,
  { by, settings }: EventOf<'conversation.configured'>,
  nowMs: number,
): UiState {
  if (by === undefined || ui.connection.ownClients.includes(by.clientId)) return ui
  const changed = settingsLine(settings)
  if (changed === '') return ui
  const isOfLimits = settings.sandbox !== undefined || settings.approvalPolicy !== undefined
  const noted = addNote(ui, 'info', `${changed} (changed by ${actorName(by)}).`)
  return isOfLimits ? changePart(noted, 'keys', { limitsChangedAtMs: nowMs }) : noted
}

/** Returns the changed settings on one line. */
export function settingsLine({ model, modelProvider, effort, approvalPolicy, sandbox }: SettingsPatch): string {
  const isPair = approvalPolicy !== undefined && sandbox !== undefined
  const mode = isPair ? modeOf({ approvalPolicy, sandbox }) : 'custom'
  const named: readonly (readonly [string, string | undefined])[] = [
    ['Mode', mode === 'custom' ? undefined : mode],
    ['Sandbox', sandbox],
    ['Approvals', approvalPolicy],
    ['Provider', modelProvider],
    ['Model', model],
    ['Effort', effort],
  ]
  return named.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])).join(', ')
}

/** Errno names the server gives for a log that another program changed while it was open. */
const lostLogs: ReadonlySet<string> = new Set(['DELETED', 'MOVED', 'REPLACED', 'CHANGED'])
const fullDisks: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

export function isLostLog(errno: unknown): errno is string {
  return typeof errno === 'string' && lostLogs.has(errno)
}

/** Returns true if the disk is full; accepted work continues by itself once there is room. */
export function isDiskFull(errno: string | undefined): boolean {
  return errno !== undefined && fullDisks.has(errno)
}

/** Takes the state of the disk; its end is noted where the trouble was shown. */
export function followStorage(ui: UiState, errno: string | null): UiState {
  if (errno !== null) return changePart(ui, 'storage', { errno })
  return ui.storage.errno === null
    ? ui
    : addNote(changePart(ui, 'storage', { errno: null }), 'info', 'The conversation is saved again.')
}

const diskWords: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file may not grow (ulimit -f)',
  EROFS: 'the disk is read-only',
  EACCES: 'there is no permission to write',
  EPERM: 'there is no permission to write',
  STORE_FULL: 'the store has no room',
  STORE_SLOW: 'the store does not answer',
  STORE_GONE: 'the store cannot be reached',
}

/** Returns what keeps the conversation from being saved, in a few words. */
export function storageWords(errno: string): string {
  return diskWords[errno] ?? `the disk takes nothing (${errno})`
}

/** Returns when accepted work goes on: with the disk, or with the store that servers share. */
export function goesOnWhen(errno: string): string {
  return `It goes on by itself when the ${errno.startsWith('STORE_') ? 'store' : 'disk'} does`
}

/** Returns true if nothing can be resumed until the user restores the log. */
export function isLogGone(lost: LostLog | null): boolean {
  return lost !== null && lost.errno !== 'CHANGED'
}

/** Adds the server's message once. Later failed requests only add that they were not carried out. */
export function noteLostLog(ui: UiState, { log, isAnswer }: Extract<UiAction, { kind: 'logLost' }>): UiState {
  if (ui.storage.lostLog?.text !== log.text)
    return addNote(changePart(ui, 'storage', { lostLog: log }), 'error', log.text)
  return isAnswer ? addNote(ui, 'error', notDone) : ui
}

const notDone =
  'Not done: this conversation has stopped, for the reason above. /fork goes on in a copy with what memory holds, /new begins another one; Ctrl+C clears the text.'
