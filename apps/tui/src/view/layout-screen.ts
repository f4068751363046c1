import { isWhollySeen } from '@parley/presentation/question/answers'
import { type Line, lineText, type Room } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import type { Approval, ConversationState } from '@parley/protocol'
import { maySend, onlyReads } from '../ui/people/held-role.ts'
import { type UiState, waitingApprovals } from '../ui/state/ui-state.ts'
import { isComposerHidden } from '../ui/write-over-question.ts'
import { approvalBlock } from './approval/approval-block.ts'
import type { AnswerMode } from './approval/choice-rows.ts'
import { bottomParts } from './bottom-zone.ts'
import { activityOf } from './live/activity.ts'
import { runningRows } from './live/running-rows.ts'
import { type Caret, type LiveZone, liveRows, lowestRows, mapParts } from './live-zone.ts'
import { gapRows, type Scene } from './scene.ts'
import type { Screen } from './screen.ts'
import { lastRows } from './text/fit-rows.ts'
import { beside, inGutter } from './text/gutter.ts'
import { themeOf } from './text/theme.ts'
import { settle, type Transcript } from './transcript/transcript.ts'

/** Rows kept free so that the live zone never reaches the screen's height. */
const spareRows = 2
/** Returns blocks that are final now, and the live zone, never taller than the screen minus two rows. */
export function layoutScreen(scene: Scene): { readonly transcript: Transcript; readonly screen: Screen } {
  const { state, ui, size } = scene
  const { highlight } = scene
  const { ambiguousWidth: ambiguous, theme: name, background } = ui.look
  const room: Room = {
    columns: Math.max(1, size.columns),
    ambiguous,
    ...(highlight === undefined ? {} : { highlight }),
  }
  const { transcript, blocks } = settle(scene.transcript, {
    ...{ state, notices: ui.notices, room, own: ui.connection.ownClients },
    ...{ nowMs: scene.nowMs, utcOffsetMs: scene.utcOffsetMs },
  })
  const live = layoutLive({ ...scene, transcript }, room)
  const theme = themeOf({ name, background, depth: scene.colours })
  const settled = blocks.map(({ kind, lines }) => ({ kind, lines: lines.map((line) => inGutter(line, room)) }))
  return { transcript, screen: { ...live, settled, theme, ambiguous } }
}

type Live = Omit<Screen, 'settled' | 'theme' | 'ambiguous'>

function layoutLive(scene: Scene, room: Room): Live {
  const { size, state, ui } = scene
  const limit = Math.max(1, size.rows - spareRows)
  const activity = activityOf(state, ui, { nowMs: scene.nowMs, clock: scene.transcript.turn, room: beside(room) })
  const approvals = waitingApprovals(state, ui)
  const [approval = null] = approvals
  const bottom = bottomParts(scene, room, { limit, activity, hasApproval: approval !== null })
  const work = workParts(scene, room, { approvals, limit: limit - liveRows(bottom.live).length })
  const whole = { ...bottom.live, running: work.running, approval: work.approval }
  const live = lowestRows(whole, limit)
  return {
    live: mapParts((part) => live[part].map((row) => truncateLine(inGutter(row, room), room))),
    caret: caretWithin(bottom.caret ?? caretAtKeys(whole), { whole, live, room }),
    approvalId: approval?.id ?? null,
    isSeen: work.isSeen,
    changesAtMs: activity?.changesAtMs ?? null,
  }
}

/** Returns the caret at the last row of the approval, where its keys stand. */
function caretAtKeys({ approval }: LiveZone): Caret {
  return { part: 'approval', row: Math.max(0, approval.length - 1), column: 0 }
}

/** Returns the caret in the rows that were kept of its part; null if its row was cut off. */
function caretWithin(
  { part, row, column }: Caret,
  { whole, live, room }: { readonly whole: LiveZone; readonly live: LiveZone; readonly room: Room },
): Caret | null {
  const keptRow = row - (whole[part].length - live[part].length)
  return keptRow < 0 ? null : { part, row: keptRow, column: Math.min(column, room.columns - 1) }
}

interface Work extends Pick<LiveZone, 'running' | 'approval'> {
  readonly isSeen: boolean
}

/** Returns the rows of running items, and of the approval that is pending before work can continue. */
function workParts(
  scene: Scene,
  room: Room,
  { approvals, limit }: { approvals: readonly Approval[]; limit: number },
): Work {
  const { state, ui, transcript } = scene
  if (state === null || ui.menu !== null || limit <= 0) return { running: [], approval: [], isSeen: false }
  const running = rowsForHalf(runningRows(state, ui.work, { transcript, room }), limit, room)
  const [approval] = approvals
  if (approval === undefined) return { running, approval: [], isSeen: false }
  const asking = {
    approval,
    waiting: approvals.length,
    homeFolder: scene.homeFolder,
    enforcement: state.core.settings.enforcement,
    mode: answerMode(ui, state),
    hasDraft: ui.composing.composer.text !== '',
    mayWrite: maySend(ui.opened),
    form: ui.composing.purpose.kind === 'form' ? ui.composing.purpose.form : null,
    heldKey: ui.answering.heldKey,
    reached: ui.answering.reached?.approvalId === approval.id ? ui.answering.reached.answer : null,
    isSeen: hasSeen(ui, approval),
  } as const
  const gap = gapRows(scene.size)
  const maxRows = limit - gap.length
  const { rows, isWhole } = approvalBlock({ ...asking, maxRows }, room)
  const before = lastRows(running, Math.max(0, maxRows - rows.length))
  const isFirst = transcript.last === null && before.length === 0
  return { running: before, approval: [...(isFirst ? [] : gap), ...rows], isSeen: isWhole || asking.isSeen }
}

/**
 * Returns the lowest rows that fit when the window becomes half as wide: the terminal wraps them before they can be
 * erased, and rows that no longer fit would stay in the scrollback.
 */
function rowsForHalf(rows: readonly Line[], limit: number, { columns, ambiguous }: Room): readonly Line[] {
  let left = limit - spareRows
  const cut = rows.findLastIndex((row) => {
    left -= Math.max(1, Math.ceil(cellWidth(lineText(row), ambiguous) / (columns / 2)))
    return left < 0
  })
  return rows.slice(Math.min(cut + 1, rows.length - 1))
}

/** Returns true if everything a yes would allow was in an earlier frame, or is printed in this one. */
function hasSeen({ answering: { guard }, notices }: UiState, { id }: Approval): boolean {
  return (
    isWhollySeen(guard, id) || notices.some((notice) => notice.kind === 'approvalDetail' && notice.approval.id === id)
  )
}

function answerMode(ui: UiState, state: ConversationState): AnswerMode {
  const { opened } = ui
  const { purpose } = ui.composing
  const { link } = ui.connection
  if (link.kind !== 'up') return 'lost'
  if (opened?.readOnly) return opened.attached ? 'watch' : 'view'
  if (onlyReads(opened)) return 'reader'
  if (purpose.kind === 'note' || purpose.kind === 'form') return purpose.kind
  if (!isComposerHidden(ui, state)) return 'typing'
  const { remembering } = ui.answering
  return remembering !== null && waitingApprovals(state, ui)[0]?.id === remembering ? 'remember' : 'answer'
}
