import { isRunning } from '@parley/presentation/items/call-facts'
import { patchTitle } from '@parley/presentation/items/item-words'
import { looksAt } from '@parley/presentation/items/looked-at'
import { silentSeconds, type TurnClock, workedMs } from '@parley/presentation/items/turn-clock'
import { elapsed, hookWords } from '@parley/presentation/items/turn-words'
import { shownLine } from '@parley/presentation/text/control-characters'
import type { Line, Room } from '@parley/presentation/text/span'
import { truncateText } from '@parley/presentation/text/truncate'
import { type ConversationState, type Item, isCall, type OpenItem, type Turn } from '@parley/protocol'
import { foregroundCommand } from '../../ui/update/key-places.ts'

/** Cells of one frame of the moving mark. */
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
/** Mark that does not move. */
const stillMark = '•'
/** Time between two frames; each costs the row that it stands in. */
const frameMs = 250
/** Fewest cells of a title; below it the tokens are left out. */
const leastTitle = 12
/** Time in s after which a command can be sent to the background. */
const longSeconds = 5

/** Cells of the mark, and of the blanks beside it and the verb. */
const markCells = 3

/** Time at which the line is shown, and how. */
export interface WorkMoment {
  readonly nowMs: number
  readonly clock: TurnClock | null
  readonly room: Room
  /** True if the mark does not move. */
  readonly isStill: boolean
}

interface Working {
  readonly line: Line
  readonly changesAtMs: number
}

/** Returns the present work of the turn, its duration, and the key that stops it. */
export function workingLine(
  state: ConversationState,
  turn: Turn,
  { clock, nowMs, room, isStill }: WorkMoment,
): Working {
  const { core } = state
  const open = Object.values(core.open)
  const isAnswering = open.some(({ item }) => item.type === 'agentMessage' && item.text !== '')
  const worked = clock === null ? nowMs - turn.startedAt : workedMs(clock, nowMs)
  const seconds = Math.max(0, Math.floor(worked / 1_000))
  const { hook } = turn
  const { verb, title } =
    hook !== undefined
      ? { verb: 'Running', title: hookWords(hook, nowMs) }
      : isAnswering
        ? { verb: 'Answering', title: '' }
        : doing(open)
  const silent = silentSeconds(clock, nowMs)
  const silence = silent === null ? '' : ` · nothing for ${elapsed(silent)}`
  const facts = [`  ${elapsed(seconds)}${silence}`, tokens(turn), ' · esc stops']
  const leftBeside = (texts: readonly string[]) => room.columns - verb.length - markCells - texts.join('').length
  const isLong = seconds >= longSeconds && foregroundCommand(state) !== null
  const offered = isLong ? [...facts, ' · ctrl+b background'] : facts
  const shownFacts =
    [offered, facts].find((texts) => title === '' || leftBeside(texts) >= leastTitle) ?? facts.toSpliced(1, 1)
  const shown = truncateText(title, { ...room, columns: Math.max(1, leftBeside(shownFacts)) })
  const nextSecondMs = nowMs + 1_000 - (Math.max(0, worked) % 1_000)
  // An answer moves by itself, so the mark rests while one arrives.
  const at = isAnswering ? seconds : Math.floor(worked / frameMs)
  return {
    line: [
      { text: `${isStill ? stillMark : (frames[Math.max(0, at) % frames.length] ?? frames[0])} `, tone: 'accent' },
      { text: verb, tone: 'accent' },
      ...(shown === '' ? [] : [{ text: ` ${shown}` }]),
      { text: shownFacts.join(''), tone: 'muted' },
    ],
    changesAtMs: isAnswering || isStill ? nextSecondMs : Math.min(nextSecondMs, nowMs + frameMs),
  }
}

/** Returns true for a call of the model that runs, including one that asks the user while it does. */
export function isRunningCall(open: OpenItem): boolean {
  return isCall(open.item) && isRunning(open)
}

function doing(open: readonly OpenItem[]): { readonly verb: string; readonly title: string } {
  const running = open.filter(isRunningCall)
  const [only, ...others] = running
  if (only === undefined) return { verb: open.some(isCompaction) ? 'Compacting' : 'Thinking', title: '' }
  const looked = running.map(({ item }) => looksAt(item))
  const isLooking = looked.every((words) => words !== null)
  if (others.length > 0)
    return { verb: isLooking ? 'Looking at' : 'Running', title: `${running.length} ${isLooking ? 'places' : 'calls'}` }
  return { verb: verbOf(only.item, isLooking), title: looked[0] ?? shownLine(titleOf(only.item)) }
}

function isCompaction(open: OpenItem): boolean {
  return open.item.type === 'contextCompaction' && isRunning(open)
}

function verbOf(item: Item, isLooking: boolean): string {
  if (isLooking) return 'Looking at'
  if (item.type === 'fileChange') return 'Editing'
  return item.type === 'toolCall' ? 'Calling' : 'Running'
}

function titleOf(item: Item): string {
  return item.type === 'fileChange' ? patchTitle(item) : item.title
}

/** Returns the tokens that have come in this turn. */
function tokens({ usage }: Turn): string {
  const { outputTokens } = usage
  if (outputTokens === 0) return ''
  return ` · ↓ ${outputTokens < 1_000 ? outputTokens : `${(outputTokens / 1_000).toFixed(1)}k`}`
}
