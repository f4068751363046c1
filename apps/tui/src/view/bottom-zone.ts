import { isFinished } from '@parley/presentation/items/turn-clock'
import type { Line, Room } from '@parley/presentation/text/span'
import type { HeldRole, OpenedWindow } from '../ui/link/link.ts'
import { backgroundCommands } from '../ui/menu/background-rows.ts'
import type { Menu } from '../ui/menu/menu.ts'
import { isComposerHidden } from '../ui/write-over-question.ts'
import type { Activity } from './live/activity.ts'
import { completionRows, composerRows, queueRows } from './live/composer-rows.ts'
import { menuRows } from './live/menu-rows.ts'
import { type StatusFacts, statusLine } from './live/status-line.ts'
import { type Caret, emptyZone, type LiveZone, lowestRows } from './live-zone.ts'
import { gapRows, type Scene } from './scene.ts'
import { lastRows, wrapLine } from './text/fit-rows.ts'
import { beside, indented } from './text/gutter.ts'
import { planRow } from './transcript/plan-rows.ts'

/** Below this height an approval leaves no room for the status line. */
const lowRows = 8
const maxCompletions = 8

interface RowBudget {
  readonly limit: number
  readonly activity: Activity | null
  readonly hasApproval: boolean
}

interface BottomZone {
  readonly live: LiveZone
  /** Caret in the text; null while an approval has its place. */
  readonly caret: Caret | null
}

/** Returns the parts from the activity line down to the status line. */
export function bottomParts(scene: Scene, room: Room, { limit, activity, hasApproval }: RowBudget): BottomZone {
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
  { status, activity, limit }: Omit<RowBudget, 'hasApproval'> & { readonly status: readonly Line[] },
): BottomZone {
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
): BottomZone {
  const gap = gapRows(size)
  const { rows, caret } = menuRows(menu, room, { homeFolder, nowMs, maxRows })
  return {
    live: { ...emptyZone, menu: [...gap, ...rows.slice(0, maxRows)], status },
    caret: { ...caret, part: 'menu', row: gap.length + caret.row },
  }
}

/** Returns the role that holds a window, or that its link has ended. */
function heldFact(opened: OpenedWindow | null): HeldRole | 'linkEnded' | null {
  if (opened?.heldTo === 'none' && opened.person?.kind === 'guest') return 'linkEnded'
  return opened?.heldTo ?? null
}

function statusFacts({ homeFolder, branch, state, ui }: Scene): StatusFacts {
  const { opened, statusText } = ui
  const { clientCount } = ui.connection
  const readOnly = opened?.readOnly === true ? (opened.attached ? 'watch' : 'view') : heldFact(opened)
  const backgroundCount = backgroundCommands(ui.work, state).length
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
