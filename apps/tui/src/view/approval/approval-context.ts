import { reasonWords } from '@parley/presentation/question/reasons'
import { visibleLine } from '@parley/presentation/text/control-characters'
import { placedPath } from '@parley/presentation/text/formats'
import { type Line, lineText, narrowed, type Room, type Span } from '@parley/presentation/text/span'
import { truncateLine, truncateStart } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import type { Approval, Enforcement } from '@parley/protocol'
import {
  describeQuestion,
  patchLimitWords,
  type QuestionWords,
  readLimitWords,
  runsNothing,
  uncheckedWords,
} from '@parley/protocol/question'
import { wrapLine } from '../text/fit-rows.ts'

interface ApprovalToShow {
  readonly approval: Approval
  readonly homeFolder: string
  readonly enforcement: Enforcement
}

/** Tells if the rule that asks is named. A yes covers everything else, which `contextRows` never leaves out. */
export type RuleText = 'named' | 'none'

/** Returns folder, limits, variables, the model's reason and the rule that asks. */
export function contextRows(asked: ApprovalToShow, room: Room, rule: RuleText): readonly Line[] {
  return contextParts(asked).flatMap((part) => {
    if (part.kind === 'place') return placeRows(part, room)
    if (part.kind === 'reason') return wrapLine(rule === 'named' ? [...part.line, part.rule] : part.line, room)
    return wrapLine(part.line, room)
  })
}

/** Returns the context in one row per part, cut where longer, for an approval not yet shown whole. */
export function oneRowContext(asked: ApprovalToShow, room: Room): readonly Line[] {
  return contextParts(asked).flatMap((part) => {
    if (part.kind === 'reason') return []
    if (part.kind === 'needed') return [truncateLine(part.line, room)]
    if (fits(wholePlace(part), room)) return [wholePlace(part)]
    const path = truncateStart(part.path, narrowed(room, placeMark.length))
    return [[muted(`${placeMark}${path}`)], truncateLine(part.limits, room)]
  })
}

interface FolderWithLimits {
  readonly kind: 'place'
  readonly path: string
  readonly limits: Line
}

type ApprovalFact = FolderWithLimits | AskingReason | { readonly kind: 'needed'; readonly line: Line }

interface AskingReason {
  readonly kind: 'reason'
  readonly line: Line
  readonly rule: Span
}

const placeMark = 'in '

function contextParts({ approval, homeFolder, enforcement }: ApprovalToShow): readonly ApprovalFact[] {
  const words = describeQuestion(approval, enforcement)
  const { variables, again, justification } = words
  if (runsNothing(approval.kind)) return [needed([muted(words.reason)])]
  const reason = visibleLine(reasonWords(approval))
  // A rule that is built in has no place to change it; `w` names it.
  const rule = approval.rule.file === undefined ? '' : ` ${words.rule}`
  return [
    {
      kind: 'place',
      path: visibleLine(placedPath(approval.cwd, approval.environment, homeFolder)),
      limits: limitsOf(words),
    },
    ...(variables === null ? [] : [needed([muted(variables)])]),
    ...(reason === '' ? [] : [{ kind: 'reason' as const, line: [muted(reason)], rule: muted(rule) }]),
    ...(again === null ? [] : [needed([{ text: again, tone: 'warn' }])]),
    ...(justification === null ? [] : [needed(justificationLine(justification))]),
  ]
}

function needed(line: Line): ApprovalFact {
  return { kind: 'needed', line }
}

function wholePlace({ path, limits }: FolderWithLimits): Line {
  return [muted(`${placeMark}${path} · `), ...limits]
}

/** Returns folder and limits; a path too long for one row wraps anywhere, since it has no blanks. */
function placeRows(place: FolderWithLimits, room: Room): readonly Line[] {
  const line = wholePlace(place)
  if (fits(line, room)) return [line]
  const path: Line = [muted(`${placeMark}${place.path}`)]
  return [...wrapLine(path, { ...room, mode: 'anywhere', hang: placeMark.length }), ...wrapLine(place.limits, room)]
}

function fits(line: Line, room: Room): boolean {
  return cellWidth(lineText(line), room.ambiguous) <= room.columns
}

/** Returns the limits alone in one row, for a window without room for the place; nothing for a form. */
export function limitsRow({ approval, enforcement }: ApprovalToShow, room: Room): readonly Line[] {
  const whole = limitsOf(describeQuestion(approval, enforcement))
  if (whole.length === 0) return []
  return [fits(whole, room) ? whole : truncateLine(briefLimits(approval, enforcement), room)]
}

/** Returns the limits in at most 18 cells; only more than the default is coloured. */
function briefLimits({ kind, sandbox, network }: Approval, enforcement: Enforcement): Line {
  if (kind === 'patch') return [{ text: patchLimitWords, tone: sandbox === 'none' ? 'warn' : 'muted' }]
  if (kind === 'read') return [muted(readLimitWords)]
  if (sandbox === 'none') return [{ text: 'not sandboxed', tone: 'warn' }]
  if (sandbox === 'danger-full-access') return [{ text: 'full access', tone: 'warn' }]
  const mode = sandbox === 'read-only' ? sandbox : 'sandbox'
  const box = muted(enforcement === 'partial' ? `part ${mode}` : mode)
  return network === true ? [box, { text: '+net', tone: 'warn' }] : [box, muted(network === false ? ', no net' : '')]
}

/** Returns the limits under which the call would run. */
function limitsOf({ limits }: QuestionWords): readonly Span[] {
  return limits.map(({ text, isMore }, index): Span => {
    const separated = index === 0 ? text : ` · ${text}`
    return isMore ? { text: separated, tone: 'warn' } : muted(separated)
  })
}

/** Returns the model's justification, quoted and marked as unchecked, so that it cannot look like the command. */
function justificationLine(justification: string): Line {
  return [
    { text: uncheckedWords, tone: 'muted', bold: true },
    { text: justification, tone: 'muted', italic: true },
  ]
}

function muted(text: string): Span {
  return { text: visibleLine(text), tone: 'muted' }
}
