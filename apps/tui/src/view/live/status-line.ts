import type { ConversationState, Core, Settings } from '@parley/protocol'
import { showEffects } from '../text/control-characters.ts'
import { truncateLine, truncateStart } from '../text/fit-rows.ts'
import { count, placedPath } from '../text/formats.ts'
import { gutterCells, indented } from '../text/gutter.ts'
import { type Line, lineText, type Room, type Span } from '../text/span.ts'
import { cellWidth } from '../text/width.ts'

export interface StatusFacts {
  readonly homeFolder: string
  readonly branch: string | null
  /** Reason why nothing can be sent: `view` of the log, or a client that only watches. */
  readonly readOnly: 'view' | 'watch' | null
  /** Clients connected to the conversation. */
  readonly clientCount: number
}

const minFolderColumns = 12

/** Parts in the order in which a narrow window drops them; the limits and a view that is read-only are never dropped. */
type PartName = 'branch' | 'folder' | 'effort' | 'context' | 'clients' | 'model' | 'readOnly' | 'limits'
const dropped: readonly PartName[] = ['branch', 'folder', 'effort', 'context', 'clients', 'model', 'readOnly']
/** Number of parts that go before the words of the limits are shortened. */
const droppedFirst = 4

/** Returns one row with model, folder and limits; drops the least important parts if narrow, and shortens the limits last. */
export function statusLine({ core }: ConversationState, facts: StatusFacts, room: Room): Line {
  const inner = { ...room, columns: Math.max(1, room.columns - gutterCells) }
  const [row = []] = indented([truncateLine(fittingParts(core, facts, inner), inner)])
  return row
}

function fittingParts(core: Core, facts: StatusFacts, room: Room): Line {
  const counts = dropped.map((_, index) => index)
  for (const [count, isBrief] of [
    ...counts.slice(0, droppedFirst + 1).map((count) => [count, false] as const),
    ...counts.slice(droppedFirst).map((count) => [count, true] as const),
  ]) {
    const without = new Set(dropped.slice(0, count))
    const line = joined(statusParts(core, { ...facts, isBrief }, without))
    if (cellWidth(lineText(line), room.ambiguous) <= room.columns) return line
  }
  return limitsSpans(core.settings, true)
}

function statusParts(
  { settings, usage, meta }: Core,
  facts: StatusFacts & { readonly isBrief: boolean },
  without: ReadonlySet<PartName>,
): Line[] {
  const { model, effort } = settings
  const place = placedPath(meta.cwd, settings.environment, facts.homeFolder)
  const branch = without.has('branch') ? null : facts.branch
  const parts: readonly (readonly [PartName, Line | null])[] = [
    ['model', [{ text: showEffects(model) }]],
    ['effort', effort === undefined ? null : [muted(showEffects(effort))]],
    ['context', contextSpans(usage)],
    ['folder', [muted(folderText(place, branch))]],
    ['limits', limitsSpans(settings, facts.isBrief)],
    ['clients', facts.clientCount > 1 ? [muted(`${facts.clientCount} clients`)] : null],
    ['readOnly', facts.readOnly === null ? null : [{ text: readOnlyWords[facts.readOnly], tone: 'warn' }]],
  ]
  return parts.flatMap(([name, spans]) => (spans === null || without.has(name) ? [] : [[...spans]]))
}

const readOnlyWords = { view: 'read-only view', watch: 'read-only' } as const

/** Returns what holds commands and when the user is asked, in full or as few words as fit a window of 20 columns. */
function limitsSpans(settings: Settings, isBrief: boolean): Line {
  const { approvalPolicy } = settings
  const isOff = approvalPolicy === 'never'
  const asks = isBrief ? (isOff ? 'never' : 'asks') : askingWords(settings)
  return [sandboxSpan(settings, isBrief), muted(', '), isOff ? { text: asks, tone: 'bad', bold: true } : muted(asks)]
}

function askingWords({ approvalPolicy, sandbox, enforcement }: Settings): string {
  switch (approvalPolicy) {
    case 'untrusted':
      return 'asks before every change'
    case 'on-failure':
      return 'asks on failure'
    case 'on-request':
      if (sandbox === 'danger-full-access') return 'asks before it destroys'
      return enforcement === 'full' ? 'asks to leave' : 'asks before every change'
    case 'never':
      return 'never asks'
  }
}

function sandboxSpan({ enforcement, sandbox, network }: Settings, isBrief: boolean): Span {
  if (sandbox === 'danger-full-access') return { text: 'FULL ACCESS', tone: 'bad', bold: true }
  if (enforcement === 'none') return { text: 'no sandbox', tone: 'bad', bold: true }
  const mode = sandbox === 'read-only' ? 'read-only' : isBrief ? 'sandbox' : 'sandboxed'
  const hasNetwork = network === true && sandbox === 'workspace-write'
  if (isBrief) return muted(`${enforcement === 'partial' ? 'part ' : ''}${mode}${hasNetwork ? '+net' : ''}`)
  const box = sandbox === 'read-only' ? 'read-only sandbox' : mode
  return muted(`${box}${enforcement === 'partial' ? ' in part' : ''}${hasNetwork ? ' with network' : ''}`)
}

function contextSpans({ last, contextWindow, total }: Core['usage']): Line | null {
  if (last === null) return null
  const used = last.inputTokens + last.outputTokens
  const text =
    contextWindow === null
      ? `${tokens(total.inputTokens + total.outputTokens)} tokens`
      : `${Math.min(100, Math.round((used / contextWindow) * 100))}% context`
  return [muted(text)]
}

function tokens(amount: number): string {
  return amount < 10_000 ? count(amount) : `${count(Math.round(amount / 1_000))}k`
}

function folderText(place: string, branch: string | null): string {
  const folder = truncateStart(showEffects(place), { columns: minFolderColumns * 3 })
  return branch === null ? folder : `${folder} (${showEffects(branch)})`
}

function joined(parts: readonly Line[]): Line {
  return parts.flatMap((spans, index) => (index === 0 ? spans : [muted(' · '), ...spans]))
}

function muted(text: string): Span {
  return { text, tone: 'muted' }
}
