import type { Approval, ConversationState } from '@parley/protocol'
import { isWhollySeen } from '../ui/approval/answer-guard.ts'
import { pendingApprovals } from '../ui/approval/choices.ts'
import type { UiState } from '../ui/ui-state.ts'
import { approvalBlock } from './approval/approval-block.ts'
import type { AnswerMode } from './approval/choice-rows.ts'
import { type Activity, activityOf, workRows } from './live/activity.ts'
import { completionRows, composerRows, type RowsWithCaret, waitingRows } from './live/composer-rows.ts'
import { pickerRows } from './live/picker-rows.ts'
import { type StatusFacts, statusLine } from './live/status-line.ts'
import type { Screen, TerminalSize } from './screen.ts'
import { lastRows, truncateLine, wrapLine } from './text/fit-rows.ts'
import { beside, indented } from './text/gutter.ts'
import type { Line, Room } from './text/span.ts'
import { settle, type Transcript } from './transcript/transcript.ts'

/** Everything a frame of the screen is computed from. */
export interface Scene {
  readonly transcript: Transcript
  /** The conversation; null until the server has sent it. */
  readonly state: ConversationState | null
  readonly ui: UiState
  readonly size: TerminalSize
  readonly nowMs: number
  readonly homeFolder: string
  /** Git branch of the conversation's folder, if known. */
  readonly branch: string | null
}

/** Rows kept free so that the live zone never reaches the screen's height. */
const spareRows = 2
/** Below this height blank rows are left out. */
const roomyRows = 14
/** Below this height an approval leaves no room for the status line. */
const lowRows = 8
const maxCompletions = 8

/** Returns blocks that are final now, and the live zone, never taller than the screen minus two rows. */
export function layoutScreen(scene: Scene): { readonly transcript: Transcript; readonly screen: Screen } {
  const { state, ui, size } = scene
  const room: Room = { columns: Math.max(1, size.columns) }
  const { transcript, blocks } = settle(scene.transcript, { state, notices: ui.notices, room, own: ui.ownClients })
  const live = layoutLive({ ...scene, transcript }, room)
  return { transcript, screen: { ...live, settled: blocks } }
}

type Live = Omit<Screen, 'settled'>

function layoutLive(scene: Scene, room: Room): Live {
  const { size, state, ui } = scene
  const limit = Math.max(1, size.rows - spareRows)
  const activity = activityOf(state, ui, scene.nowMs)
  const [approval = null] = pendingApprovals(state, ui)
  const bottom = bottomRows(scene, room, { limit, activity, hasApproval: approval !== null })
  const work = workArea(scene, room, { approval, limit: limit - bottom.rows.length })
  const above = lastRows(work.rows, limit - bottom.rows.length)
  const rows = [...above, ...bottom.rows]
  const cut = Math.max(0, rows.length - limit)
  const { caret } = bottom
  const caretRow = caret === null ? -1 : above.length + caret.row - cut
  return {
    live: rows.slice(cut).map((row) => truncateLine(row, room)),
    caret: caret === null || caretRow < 0 ? null : { row: caretRow, column: Math.min(caret.column, room.columns - 1) },
    approvalId: approval?.id ?? null,
    isSeen: work.isSeen,
    changesAtMs: activity?.changesAtMs ?? null,
  }
}

/** Returns the rows of running work, or of the approval that is pending before work can continue. */
function workArea(
  scene: Scene,
  room: Room,
  { approval, limit }: { approval: Approval | null; limit: number },
): { readonly rows: readonly Line[]; readonly isSeen: boolean } {
  const { state, ui, transcript } = scene
  if (state === null || ui.picker !== null || limit <= 0) return { rows: [], isSeen: false }
  const work = workRows(state, transcript, room)
  if (approval === null) return { rows: work, isSeen: false }
  const asking = {
    approval,
    waiting: pendingApprovals(state, ui).length,
    homeFolder: scene.homeFolder,
    enforcement: state.core.settings.enforcement,
    mode: answerMode(ui),
    form: ui.purpose.kind === 'form' ? ui.purpose.form : null,
    heldKey: ui.heldKey,
    reached: ui.reached?.approvalId === approval.id ? ui.reached.answer : null,
    isSeen: hasSeen(ui, approval),
  } as const
  const gap: readonly Line[] = scene.size.rows >= roomyRows ? [[]] : []
  const maxRows = limit - gap.length
  const { rows, isWhole } = approvalBlock({ ...asking, maxRows }, room)
  const before = lastRows(work, Math.max(0, maxRows - rows.length))
  const isFirst = transcript.last === null && before.length === 0
  return { rows: [...before, ...(isFirst ? [] : gap), ...rows], isSeen: isWhole || asking.isSeen }
}

/** Returns true if everything a yes would allow was in an earlier frame, or is printed in this one. */
function hasSeen({ guard, notices }: UiState, { id }: Approval): boolean {
  return (
    isWhollySeen(guard, id) || notices.some((notice) => notice.kind === 'approvalDetail' && notice.approval.id === id)
  )
}

function answerMode({ purpose, composer, link, opened }: UiState): AnswerMode {
  if (link.kind !== 'up') return 'lost'
  if (opened?.readOnly) return opened.attached ? 'watch' : 'view'
  if (purpose.kind === 'note' || purpose.kind === 'form') return purpose.kind
  return composer.text === '' && purpose.kind === 'message' ? 'answer' : 'typing'
}

interface Budget {
  readonly limit: number
  readonly activity: Activity | null
  readonly hasApproval: boolean
}

/** Returns the rows from the activity line down to the status line. */
function bottomRows(
  scene: Scene,
  room: Room,
  { limit, activity, hasApproval }: Budget,
): { rows: readonly Line[]; caret: RowsWithCaret['caret'] | null } {
  const { state, ui, size } = scene
  const gap: readonly Line[] = size.rows >= roomyRows ? [[]] : []
  const status = state === null ? [] : [...gap, statusLine(state, statusFacts(scene), room)]
  // In a low window the approval needs the row of the status line.
  const isLow = hasApproval && size.rows < lowRows
  const foot = isLow ? [] : lastRows(status, limit - 1)
  const maxRows = Math.max(1, limit - foot.length - gap.length)
  if (ui.picker !== null) {
    const { rows, caret } = pickerRows(ui.picker, room, { homeFolder: scene.homeFolder, nowMs: scene.nowMs, maxRows })
    return { rows: [...gap, ...rows.slice(0, maxRows), ...foot], caret: shiftedBy(caret, gap.length) }
  }
  const text = composerRows(
    state,
    ui,
    room,
    Math.min(maxRows, Math.max(1, Math.floor(size.rows / (hasApproval ? 6 : 3)))),
  )
  const completions = completionRows(ui, room, Math.min(maxCompletions, Math.max(0, maxRows - text.rows.length)))
  const activityRows = activity === null ? [] : indented(wrapLine(activity.line, beside(room)))
  const waiting = waitingRows(state, ui, room)
  const head = [...gap, ...activityRows, ...waiting, ...(activityRows.length + waiting.length > 0 ? gap : [])]
  const question = hasApproval ? Math.floor(size.rows / 2) : 0
  const kept = lastRows(head, Math.max(0, limit - foot.length - text.rows.length - completions.length - question))
  return { rows: [...kept, ...text.rows, ...completions, ...foot], caret: shiftedBy(text.caret, kept.length) }
}

function statusFacts({ homeFolder, branch, ui: { opened, clientCount } }: Scene): StatusFacts {
  const readOnly = opened?.readOnly === true ? (opened.attached ? 'watch' : 'view') : null
  return { homeFolder, branch, readOnly, clientCount }
}

function shiftedBy(caret: RowsWithCaret['caret'] | null, rows: number): RowsWithCaret['caret'] | null {
  return caret === null ? null : { ...caret, row: caret.row + rows }
}
