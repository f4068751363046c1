import type { Approval, Enforcement } from '@parley/protocol'
import { againWords, limitWords, onOneLine, uncheckedWords } from '@parley/protocol/question'
import { visibleLine } from '../text/control-characters.ts'
import { truncateLine, truncateStart, wrapLine } from '../text/fit-rows.ts'
import { placedPath } from '../text/formats.ts'
import { type Line, lineText, narrowed, type Room, type Span } from '../text/span.ts'
import { cellWidth } from '../text/width.ts'
import { reasonWords } from './asked-words.ts'

interface Asked {
  readonly approval: Approval
  readonly homeFolder: string
  readonly enforcement: Enforcement
}

/** Amount of the rule's text shown; a yes covers everything else, which `contextRows` never leaves out. */
export type RuleText = 'whole' | 'oneRow' | 'none'

/** Returns folder, limits, variables, the model's reason and the rule that asks. */
export function contextRows(asked: Asked, room: Room, rule: RuleText): readonly Line[] {
  return contextParts(asked).flatMap((part) => {
    if (part.kind === 'place') return placeRows(part, room)
    if (part.kind === 'rule' && rule !== 'whole') return rule === 'none' ? [] : [truncateLine(part.line, room)]
    return wrapLine(part.line, room)
  })
}

/** Returns the context in one row per part, cut where longer, for an approval not yet shown whole. */
export function oneRowContext(asked: Asked, room: Room): readonly Line[] {
  return contextParts(asked).flatMap((part) => {
    if (part.kind === 'rule') return []
    if (part.kind === 'needed') return [truncateLine(part.line, room)]
    if (fits(wholePlace(part), room)) return [wholePlace(part)]
    const path = truncateStart(part.path, narrowed(room, placeMark.length))
    return [[muted(`${placeMark}${path}`)], truncateLine(part.limits, room)]
  })
}

interface Place {
  readonly kind: 'place'
  readonly path: string
  readonly limits: Line
}

type Part = Place | { readonly kind: 'needed'; readonly line: Line } | { readonly kind: 'rule'; readonly line: Line }

const placeMark = 'in '

function contextParts({ approval, homeFolder, enforcement }: Asked): readonly Part[] {
  if (approval.kind === 'elicitation') return [needed([muted(approval.reason)])]
  const { env = {}, justification } = approval
  const why = reasonWords(approval)
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  return [
    {
      kind: 'place',
      path: visibleLine(placedPath(approval.cwd, approval.environment, homeFolder)),
      limits: limitsOf(approval, enforcement),
    },
    ...(variables.length === 0 ? [] : [needed([muted(`with ${variables.join(' ')}`)])]),
    ...(why === '' ? [] : [{ kind: 'rule', line: [muted(why)] } as const]),
    ...(approval.attempt === undefined ? [] : [needed([again])]),
    ...(justification === undefined ? [] : [needed(justificationLine(justification))]),
  ]
}

function needed(line: Line): Part {
  return { kind: 'needed', line }
}

function wholePlace({ path, limits }: Place): Line {
  return [muted(`${placeMark}${path} · `), ...limits]
}

/** Returns folder and limits; a path too long for one row wraps anywhere, since it has no blanks. */
function placeRows(place: Place, room: Room): readonly Line[] {
  const line = wholePlace(place)
  if (fits(line, room)) return [line]
  const path: Line = [muted(`${placeMark}${place.path}`)]
  return [...wrapLine(path, { ...room, mode: 'anywhere', hang: placeMark.length }), ...wrapLine(place.limits, room)]
}

function fits(line: Line, room: Room): boolean {
  return cellWidth(lineText(line), room.ambiguous) <= room.columns
}

/** Returns the limits alone in one row, for a window without room for the place; nothing for a form. */
export function limitsRow({ approval, enforcement }: Asked, room: Room): readonly Line[] {
  if (approval.kind === 'elicitation') return []
  const whole = limitsOf(approval, enforcement)
  return [fits(whole, room) ? whole : truncateLine(briefLimits(approval, enforcement), room)]
}

/** Returns the limits in at most 18 cells; only more than the default is coloured. */
function briefLimits({ sandbox, network }: Approval, enforcement: Enforcement): Line {
  if (sandbox === 'none') return [{ text: 'not sandboxed', tone: 'warn' }]
  if (sandbox === 'danger-full-access') return [{ text: 'full access', tone: 'warn' }]
  const mode = sandbox === 'read-only' ? sandbox : 'sandbox'
  const box = muted(enforcement === 'partial' ? `part ${mode}` : mode)
  return network === true ? [box, { text: '+net', tone: 'warn' }] : [box, muted(network === false ? ', no net' : '')]
}

const again: Span = { text: againWords, tone: 'warn' }

/** Returns what the call may do once it runs. */
function limitsOf(approval: Approval, enforcement: Enforcement): readonly Span[] {
  return limitWords(approval, enforcement).map(({ text, isMore }, index): Span => {
    const separated = index === 0 ? text : ` · ${text}`
    return isMore ? { text: separated, tone: 'warn' } : muted(separated)
  })
}

/** Returns the model's justification, quoted and marked as unchecked, so that it cannot look like the command. */
function justificationLine(justification: string): Line {
  return [
    { text: uncheckedWords, tone: 'muted', bold: true },
    { text: `“${onOneLine(justification)}”`, tone: 'muted', italic: true },
  ]
}

function muted(text: string): Span {
  return { text: visibleLine(text), tone: 'muted' }
}
