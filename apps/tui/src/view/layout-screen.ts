import { isFinished } from '@parley/presentation/items/turn-clock'
import { isWhollySeen, pendingApprovals } from '@parley/presentation/question/answers'
import { type Highlight, type Line, lineText, type Room } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import type { Approval, ConversationState } from '@parley/protocol'
import type { HeldRole, OpenedWindow } from '../ui/link/link.ts'
import { backgroundCommands } from '../ui/menu/background-rows.ts'
import type { Menu } from '../ui/menu/menu.ts'
import { maySend, onlyReads } from '../ui/people/held-role.ts'
import type { UiState } from '../ui/state/ui-state.ts'
import { isComposerHidden } from '../ui/write-over-question.ts'
import { approvalBlock } from './approval/approval-block.ts'
import type { AnswerMode } from './approval/choice-rows.ts'
import { type Activity, activityOf } from './live/activity.ts'
import { completionRows, composerRows, queueRows } from './live/composer-rows.ts'
import { menuRows } from './live/menu-rows.ts'
import { runningRows } from './live/running-rows.ts'
import { type StatusFacts, statusLine } from './live/status-line.ts'
import { type Caret, emptyZone, type LiveZone, liveRows, lowestRows, mapParts } from './live-zone.ts'
import type { Screen, TerminalSize } from './screen.ts'
import { lastRows, wrapLine } from './text/fit-rows.ts'
import { beside, indented, inGutter } from './text/gutter.ts'
import { type ColourDepth, themeOf } from './text/theme.ts'
import { planRow } from './transcript/plan-rows.ts'
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
  readonly colours: ColourDepth
  /** Colours code; absent until it is loaded. */
  readonly highlight?: Highlight
  /** Local time minus UTC, in ms. */
  readonly utcOffsetMs: number
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
  const { highlight } = scene
  const { ambiguousWidth: ambiguous } = ui
  const room: Room = {
    columns: Math.max(1, size.columns),
    ambiguous,
    ...(highlight === undefined ? {} : { highlight }),
  }
  const { transcript, blocks } = settle(scene.transcript, {
    ...{ state, notices: ui.notices, room, own: ui.ownClients },
    ...{ nowMs: scene.nowMs, utcOffsetMs: scene.utcOffsetMs },
  })
  const live = layoutLive({ ...scene, transcript }, room)
  const theme = themeOf({ name: ui.theme, background: ui.background, depth: scene.colours })
  const settled = blocks.map(({ kind, lines }) => ({ kind, lines: lines.map((line) => inGutter(line, room)) }))
  return { transcript, screen: { ...live, settled, theme, ambiguous } }
}

type Live = Omit<Screen, 'settled' | 'theme' | 'ambiguous'>

function layoutLive(scene: Scene, room: Room): Live {
  const { size, state, ui } = scene
  const limit = Math.max(1, size.rows - spareRows)
  const activity = activityOf(state, ui, { nowMs: scene.nowMs, clock: scene.transcript.turn, room: beside(room) })
  const [approval = null] = pendingApprovals(state, ui)
  const bottom = bottomParts(scene, room, { limit, activity, hasApproval: approval !== null })
  const work = workParts(scene, room, { approval, limit: limit - liveRows(bottom.live).length })
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
function workParts(scene: Scene, room: Room, { approval, limit }: { approval: Approval | null; limit: number }): Work {
  const { state, ui, transcript } = scene
  if (state === null || ui.menu !== null || limit <= 0) return { running: [], approval: [], isSeen: false }
  const running = rowsForHalf(runningRows(state, ui, { transcript, room }), limit, room)
  if (approval === null) return { running, approval: [], isSeen: false }
  const asking = {
    approval,
    waiting: pendingApprovals(state, ui).length,
    homeFolder: scene.homeFolder,
    enforcement: state.core.settings.enforcement,
    mode: answerMode(ui, state),
    hasDraft: ui.composer.text !== '',
    mayWrite: maySend(ui.opened),
    form: ui.purpose.kind === 'form' ? ui.purpose.form : null,
    heldKey: ui.heldKey,
    reached: ui.reached?.approvalId === approval.id ? ui.reached.answer : null,
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
function hasSeen({ guard, notices }: UiState, { id }: Approval): boolean {
  return (
    isWhollySeen(guard, id) || notices.some((notice) => notice.kind === 'approvalDetail' && notice.approval.id === id)
  )
}

function answerMode(ui: UiState, state: ConversationState): AnswerMode {
  const { purpose, link, opened, remembering } = ui
  if (link.kind !== 'up') return 'lost'
  if (opened?.readOnly) return opened.attached ? 'watch' : 'view'
  if (onlyReads(opened)) return 'reader'
  if (purpose.kind === 'note' || purpose.kind === 'form') return purpose.kind
  if (!isComposerHidden(ui, state)) return 'typing'
  return remembering !== null && pendingApprovals(state, ui)[0]?.id === remembering ? 'remember' : 'answer'
}

interface Budget {
  readonly limit: number
  readonly activity: Activity | null
  readonly hasApproval: boolean
}

interface Bottom {
  readonly live: LiveZone
  /** Caret in the text; null while an approval has its place. */
  readonly caret: Caret | null
}

/** Returns the parts from the activity line down to the status line. */
function bottomParts(scene: Scene, room: Room, { limit, activity, hasApproval }: Budget): Bottom {
  const { state, ui, size } = scene
  const gap = gapRows(size)
  // In a low window the approval needs the row of the status line.
  const isLow = hasApproval && size.rows < lowRows
  const line = state === null || isLow ? [] : [...gap, statusLine(state, statusFacts(scene), room)]
  const status = lastRows(line, limit - 1)
  const maxRows = Math.max(1, limit - status.length - gap.length)
  if (ui.menu !== null) return menuParts(ui.menu, scene, room, { status, maxRows })
  if (isComposerHidden(ui, state)) return partsWithoutText(scene, room, { status, activity, limit })
  const share = Math.max(1, Math.floor(size.rows / (hasApproval ? 6 : 3)))
  const text = composerRows(state, ui, room, Math.min(maxRows, share))
  const completions = completionRows(ui, room, Math.min(maxCompletions, Math.max(0, maxRows - text.rows.length)))
  const question = hasApproval ? Math.floor(size.rows / 2) : 0
  const taken = status.length + text.rows.length + completions.length + question
  const head = lowestRows(headParts(scene, room, activity), limit - taken)
  const composer = [...head.composer, ...text.rows]
  const caret: Caret = { ...text.caret, part: 'composer', row: head.composer.length + text.caret.row }
  return { live: { ...head, composer, completions, status }, caret }
}

/** Returns the parts below an approval that has the place of the text. */
function partsWithoutText(
  scene: Scene,
  room: Room,
  { status, activity, limit }: Omit<Budget, 'hasApproval'> & { readonly status: readonly Line[] },
): Bottom {
  const { rows } = scene.size
  const question = rows < lowRows ? limit : Math.floor(rows / 2)
  const head = lowestRows({ ...headParts(scene, room, activity), composer: [] }, limit - status.length - question)
  return { live: { ...head, status }, caret: null }
}

/** Returns the row of the plan of this turn; no row for the plan of an earlier turn. */
function pinnedPlan({ state, transcript }: Scene, room: Room): readonly Line[] {
  const { plan = null, turn = null } = state?.core ?? {}
  const isOfTurn = turn !== null && transcript.planTurn === turn.id
  return plan === null || !isOfTurn || isFinished(plan) ? [] : [planRow(plan, room)]
}

/** Returns the parts above the text, and the blank row before it. */
function headParts(scene: Scene, room: Room, activity: Activity | null): LiveZone {
  const { state, ui, size } = scene
  const gap = gapRows(size)
  const line = activity === null ? [] : indented(wrapLine(activity.line, beside(room)))
  const queue = queueRows(state, ui, room)
  return {
    ...emptyZone,
    activity: line.length > 0 ? [...gap, ...line, ...indented(indented(pinnedPlan(scene, beside(beside(room)))))] : [],
    queue: queue.length > 0 && line.length === 0 ? [...gap, ...queue] : queue,
    composer: gap,
  }
}

function menuParts(
  menu: Menu,
  { homeFolder, nowMs, size }: Scene,
  room: Room,
  { status, maxRows }: { readonly status: readonly Line[]; readonly maxRows: number },
): Bottom {
  const gap = gapRows(size)
  const { rows, caret } = menuRows(menu, room, { homeFolder, nowMs, maxRows })
  return {
    live: { ...emptyZone, menu: [...gap, ...rows.slice(0, maxRows)], status },
    caret: { ...caret, part: 'menu', row: gap.length + caret.row },
  }
}

/** Returns the blank row between parts, where the window is high enough for it. */
function gapRows({ rows }: TerminalSize): readonly Line[] {
  return rows >= roomyRows ? [[]] : []
}

/** Returns the role that holds a window, or that its link has ended. */
function heldFact(opened: OpenedWindow | null): HeldRole | 'linkEnded' | null {
  if (opened?.heldTo === 'none' && opened.person?.kind === 'guest') return 'linkEnded'
  return opened?.heldTo ?? null
}

function statusFacts({ homeFolder, branch, state, ui }: Scene): StatusFacts {
  const { opened, clientCount, statusText } = ui
  const readOnly = opened?.readOnly === true ? (opened.attached ? 'watch' : 'view') : heldFact(opened)
  const backgroundCount = backgroundCommands(ui, state).length
  return {
    homeFolder,
    branch,
    readOnly,
    clientCount,
    backgroundCount,
    own: statusText,
    isSafe: opened?.isSafe === true,
  }
}
