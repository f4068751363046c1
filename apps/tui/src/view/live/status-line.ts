import { forwardMarks, joinedByDots, limitsSpans, separator } from '@parley/presentation/limits/limits-words'
import { showEffects } from '@parley/presentation/text/control-characters'
import { count, placedPath } from '@parley/presentation/text/formats'
import { type Line, lineText, narrowed, type Room, type Span } from '@parley/presentation/text/span'
import { costText } from '@parley/presentation/text/token-words'
import { truncateLine, truncateStart } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import {
  type ConversationCore,
  type ConversationState,
  modelInUse,
  modeOf,
  type Settings,
  settingsInForce,
  unconfiguredProvider,
} from '@parley/protocol'
import type { HeldRole } from '../../ui/link/link.ts'
import { gutterCells, indented } from '../text/gutter.ts'

export interface StatusFacts {
  readonly homeFolder: string
  readonly branch: string | null
  /** Reason why nothing can be sent: `view` of the log, a client that only watches, or the role of its user. */
  readonly readOnly: ReadOnly | null
  /** Line of the user's program; null for the usual one. */
  readonly own: Line | null
  readonly clientCount: number
  readonly backgroundCount: number
  /** True if the server was started with `--safe`. */
  readonly isSafe: boolean
}

/** Parts in the order that a narrow window drops them; the limits are never dropped. */
const dropped = [
  'cost',
  'branch',
  'folder',
  'effort',
  'context',
  'clients',
  'background',
  'mode',
  'model',
  'readOnly',
  'safe',
] as const
type PartName = (typeof dropped)[number]
/** Number of parts that go before the words of the limits are shortened. */
const droppedFirst = 5
const folderColumns = 30
/** Cells between the parts at the left and the share of the context at the right. */
const leastGap = 2

/**
 * Returns one row: the line of the user's program, or model, folder, mode and limits with the share of the context at the right.
 * Drops the least important parts if narrow, and shortens the limits last, which are never cut.
 */
export function statusLine({ core }: ConversationState, facts: StatusFacts, room: Room): Line {
  const inner = narrowed(room, gutterCells)
  const line = facts.own === null ? fittingParts(core, facts, inner) : withLimits(facts.own, core, facts, inner)
  const [row = []] = indented([truncateLine(line, inner)])
  return row
}

/** Returns the line of the user's program, cut where it is too long, with the limits behind it where it does not have them. */
function withLimits(own: Line, core: ConversationCore, { readOnly, isSafe }: StatusFacts, room: Room): Line {
  const settings = settingsInForce(core)
  const shown = lineText(truncateLine(own, room))
  const isSaid = [false, true].some((isBrief) => shown.includes(lineText(limitsSpans(settings, isBrief))))
  const marks = [
    ...forwardMarks(core),
    ...(isSafe ? [safeSpans] : []),
    ...(readOnly === null ? [] : [readOnlySpans(readOnly)]),
  ].filter((mark) => !shown.includes(lineText(mark)))
  if (isSaid && marks.length === 0) return own
  const wide = joinedByDots([...(isSaid ? [] : [limitsSpans(settings, false)]), ...marks])
  const brief = joinedByDots([limitsSpans(settings, true), ...marks])
  const fits = widthOf(joinedByDots([own, wide]), room) <= room.columns
  const behind = fits || widthOf(wide, room) <= room.columns / 2 ? wide : brief
  const columns = room.columns - widthOf(behind, room) - separator.length
  return columns < 1 ? behind : joinedByDots([truncateLine(own, { ...room, columns }), behind])
}

function fittingParts(core: ConversationCore, facts: StatusFacts, room: Room): Line {
  const counts = dropped.map((_, index) => index)
  for (const [count, isBrief] of [
    ...counts.slice(0, droppedFirst + 1).map((count) => [count, false] as const),
    ...counts.slice(droppedFirst).map((count) => [count, true] as const),
  ]) {
    const without = new Set(dropped.slice(0, count))
    const left = joinedByDots(leftParts(core, { ...facts, isBrief }, without))
    const right = rightParts(core.usage, without)
    const gap = room.columns - widthOf(left, room) - widthOf(right, room) - gutterCells
    if (right.length > 0 && gap >= leastGap) return [...left, { text: ' '.repeat(gap) }, ...right]
    if (right.length === 0 && gap >= -gutterCells) return left
  }
  return shortestLimits(settingsInForce(core), room)
}

function widthOf(line: Line, { ambiguous }: Room): number {
  return cellWidth(lineText(line), ambiguous)
}

function leftParts(
  core: ConversationCore,
  facts: StatusFacts & { readonly isBrief: boolean },
  without: ReadonlySet<PartName>,
): readonly Line[] {
  const { settings, meta, turn } = core
  const parts: readonly (readonly [PartName | 'limits', Line | null])[] = [
    ['model', modelSpans({ ...settings, ...modelInUse({ settings, turn }) }, without.has('effort'))],
    ['folder', placeSpans(meta.cwd, settings.environment, facts, without.has('branch'))],
    ['safe', facts.isSafe ? safeSpans : null],
    ['mode', [{ text: turn?.purpose ?? modeOf(settings) }]],
    ['limits', limitsSpans(settingsInForce({ settings, turn }), facts.isBrief)],
    ...forwardMarks(core).map((mark) => ['limits', mark] as const),
    ['background', facts.backgroundCount > 0 ? [muted(`${facts.backgroundCount} in background`)] : null],
    ['clients', facts.clientCount > 1 ? [muted(`${facts.clientCount} clients`)] : null],
    ['readOnly', facts.readOnly === null ? null : readOnlySpans(facts.readOnly)],
  ]
  return parts.flatMap(([name, spans]) => (spans === null || (name !== 'limits' && without.has(name)) ? [] : [spans]))
}

/** Returns the model and its effort; without a provider the name would belong to a recording. */
function modelSpans({ model, modelProvider, effort }: Settings, isEffortDropped: boolean): Line {
  const name = modelProvider === unconfiguredProvider ? 'no model' : showEffects(model)
  return [{ text: name }, ...(effort === undefined || isEffortDropped ? [] : [muted(` ${showEffects(effort)}`)])]
}

/** Returns the last part of the folder's path, with its branch. */
function placeSpans(
  cwd: string,
  environment: string | undefined,
  { homeFolder, branch }: StatusFacts,
  isBranchDropped: boolean,
): Line {
  const place = placedPath(cwd, environment, homeFolder)
  const name = /[^/:]+$/.exec(place)?.[0] ?? place
  const folder = environment === undefined ? name : `${environment}:${name}`
  const text = truncateStart(showEffects(folder), { columns: folderColumns })
  return [muted(branch === null || isBranchDropped ? text : `${text} ⎇ ${showEffects(branch)}`)]
}

/** Mark of a server that was started with `--safe`. */
const safeSpans: Line = [{ text: 'safe', tone: 'warn' }]

function readOnlySpans(readOnly: ReadOnly): Line {
  return [{ text: readOnlyWords[readOnly], tone: 'warn' }]
}

type ReadOnly = 'view' | 'watch' | 'linkEnded' | HeldRole

const readOnlyWords: Readonly<Record<ReadOnly, string>> = {
  view: 'read-only view',
  watch: 'read-only',
  reader: 'reader',
  approver: 'approver',
  none: 'no role',
  linkEnded: 'link ended',
}

/** Returns the limits in as many words as fit: both in short, both in one word each, or the sandbox alone. */
function shortestLimits(settings: Settings, room: Room): Line {
  const { approvalPolicy } = settings
  const sandbox = leastSandbox(settings)
  const asks: Span = approvalPolicy === 'never' ? { text: ' never', tone: 'bad', bold: true } : muted(' asks')
  const choices = [limitsSpans(settings, true), [sandbox, asks]]
  return choices.find((line) => widthOf(line, room) <= room.columns) ?? [sandbox]
}

/** Returns what holds commands in at most seven cells. */
function leastSandbox({ enforcement, sandbox, network }: Settings): Span {
  if (sandbox === 'danger-full-access') return { text: 'FULL', tone: 'bad', bold: true }
  if (enforcement === 'none') return { text: 'none', tone: 'bad', bold: true }
  if (sandbox === 'read-only') return muted(enforcement === 'partial' ? 'part ro' : 'ro')
  const box = enforcement === 'partial' ? 'part' : 'box'
  return muted(network === true ? `${box}+n` : box)
}

/** Returns the share of the context and the cost of the conversation. */
function rightParts(usage: ConversationCore['usage'], without: ReadonlySet<PartName>): Line {
  const context = without.has('context') ? [] : contextSpans(usage)
  const cost = without.has('cost') ? [] : costSpans(usage)
  return joinedByDots([context, cost].filter((spans) => spans.length > 0))
}

/** Returns the cost of the conversation; nothing where it is free, or where no price is known, as `/status` says. */
function costSpans({ total }: ConversationCore['usage']): Line {
  const { costUsd = 0, isPartCost } = total
  return costUsd === 0 && isPartCost !== true ? [] : [muted(costText(total))]
}

/** Returns the share of the model's context that the newest call used; nothing where that is not known. */
function contextSpans({ last, contextWindow }: ConversationCore['usage']): Line {
  if (last === null || contextWindow === null) return []
  const share = Math.min(100, Math.round(((last.inputTokens + last.outputTokens) / contextWindow) * 100))
  return [muted(`${share}% of ${rounded(contextWindow)}`)]
}

/** Returns a number of tokens in short: `8,192`, `400k`, `1.05M`. */
function rounded(tokens: number): string {
  if (tokens < 10_000) return count(tokens)
  return tokens < 1_000_000 ? `${Math.round(tokens / 1_000)}k` : `${Number((tokens / 1_000_000).toFixed(2))}M`
}

function muted(text: string): Span {
  return { text, tone: 'muted' }
}
