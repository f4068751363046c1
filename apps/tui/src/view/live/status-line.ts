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

interface Part {
  readonly spans: Line
  /** Priority: parts with the lowest weight are dropped first in a narrow window. */
  readonly weight: number
}

const minFolderColumns = 12

/** Returns one row with model, folder and limits; drops the least important parts if narrow. */
export function statusLine({ core }: ConversationState, facts: StatusFacts, room: Room): Line {
  const inner = { ...room, columns: Math.max(1, room.columns - gutterCells) }
  let parts = statusParts(core, facts)
  while (parts.length > 1 && widthOf(parts) > inner.columns) {
    const least = Math.min(...parts.map(({ weight }) => weight))
    parts = parts.filter(({ weight }) => weight !== least)
  }
  const [row = []] = indented([truncateLine(joined(parts), inner)])
  return row
}

function statusParts({ settings, usage, meta }: Core, facts: StatusFacts): readonly Part[] {
  const { model, effort, approvalPolicy } = settings
  const parts: (Part | null)[] = [
    { spans: [{ text: showEffects(model) }], weight: 8 },
    effort === undefined ? null : { spans: [muted(showEffects(effort))], weight: 3 },
    contextPart(usage),
    { spans: [muted(folderText(placedPath(meta.cwd, settings.environment, facts.homeFolder), facts))], weight: 5 },
    sandboxPart(settings),
    { spans: [muted(approvalWords[approvalPolicy])], weight: 4 },
    facts.clientCount > 1 ? { spans: [muted(`${facts.clientCount} clients`)], weight: 6 } : null,
    facts.readOnly === null ? null : { spans: [{ text: readOnlyWords[facts.readOnly], tone: 'warn' }], weight: 9 },
  ]
  return parts.filter((part) => part !== null)
}

const readOnlyWords = { view: 'read-only view', watch: 'read-only' } as const

const approvalWords: Readonly<Record<Settings['approvalPolicy'], string>> = {
  untrusted: 'asks for all but look-ups',
  'on-failure': 'asks on failure',
  'on-request': 'asks when needed',
  never: 'never asks',
}

function sandboxPart({ enforcement, sandbox, network }: Settings): Part {
  const limits = network === true && sandbox === 'workspace-write' ? `${sandbox} with network` : sandbox
  if (sandbox === 'danger-full-access') return { spans: [{ text: 'FULL ACCESS', tone: 'bad', bold: true }], weight: 10 }
  switch (enforcement) {
    case 'full':
      return { spans: [muted(`sandbox ${limits}`)], weight: 7 }
    case 'partial':
      return { spans: [muted(`sandbox ${limits}, in part`)], weight: 7 }
    case 'none':
      return { spans: [{ text: 'no sandbox', tone: 'warn' }], weight: 7 }
  }
}

function contextPart({ last, contextWindow, total }: Core['usage']): Part | null {
  if (last === null) return null
  const used = last.inputTokens + last.outputTokens
  const text =
    contextWindow === null
      ? `${tokens(total.inputTokens + total.outputTokens)} tokens`
      : `${Math.min(100, Math.round((used / contextWindow) * 100))}% context`
  return { spans: [muted(text)], weight: 2 }
}

function tokens(amount: number): string {
  return amount < 10_000 ? count(amount) : `${count(Math.round(amount / 1_000))}k`
}

function folderText(place: string, { branch }: StatusFacts): string {
  const folder = truncateStart(showEffects(place), { columns: minFolderColumns * 3 })
  return branch === null ? folder : `${folder} (${showEffects(branch)})`
}

function joined(parts: readonly Part[]): Line {
  return parts.flatMap(({ spans }, index) => (index === 0 ? spans : [muted(' · '), ...spans]))
}

function widthOf(parts: readonly Part[]): number {
  return cellWidth(lineText(joined(parts)))
}

function muted(text: string): Span {
  return { text, tone: 'muted' }
}
