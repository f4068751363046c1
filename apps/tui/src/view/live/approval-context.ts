import type { Approval, Enforcement } from '@parley/protocol'
import { againWords, limitWords, onOneLine, uncheckedWords } from '@parley/protocol/question'
import { clipRows } from '../clip-rows.ts'
import { collapseBlanks } from '../collapse-blanks.ts'
import { showHidden } from '../neutralise.ts'
import { placedPath } from '../short-path.ts'
import type { Line, Room, Span } from '../span.ts'
import { wrapLine } from '../wrap.ts'

/** No text may push what is asked about out of sight. */
const longest = { head: 1, tail: 1 }

interface Asked {
  readonly approval: Approval
  readonly homeFolder: string
  readonly enforcement: Enforcement
}

/** The same with nothing left out of it, however long it is. */
export function wholeContext(asked: Asked, room: Room): readonly Line[] {
  return contextLines(asked).flatMap((line) => wrapLine(line, room))
}

/** Where, under which limits, why and by which rule; at its end what the model says of it, as the model's words. */
export function approvalContext(asked: Asked, room: Room): readonly Line[] {
  return contextLines(asked).flatMap((line) => clipRows(wrapLine(line, room), longest))
}

function contextLines({ approval, homeFolder, enforcement }: Asked): readonly Line[] {
  if (approval.kind === 'elicitation') return [[muted(approval.reason)]]
  const { env = {}, reason, justification } = approval
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  return [
    [muted(`in ${placedPath(approval.cwd, approval.environment, homeFolder)} · `), ...limitsOf(approval, enforcement)],
    ...(variables.length === 0 ? [] : [[muted(`with ${variables.join(' ')}`)]]),
    [muted(`${reason} [${placeOf(approval)}]`)],
    ...(approval.attempt === undefined ? [] : [[again]]),
    ...(justification === undefined ? [] : [modelsWords(justification)]),
  ]
}

const again: Span = { text: againWords, tone: 'warn' }

/** Exactly what it may do once it runs. */
function limitsOf(approval: Approval, enforcement: Enforcement): readonly Span[] {
  return limitWords(approval, enforcement).map(({ text, isMore }, index): Span => {
    const separated = index === 0 ? text : ` · ${text}`
    return isMore ? { text: separated, tone: 'warn' } : muted(separated)
  })
}

/** Never in the place of the command, and never looking like one: whatever it says, it is only said. */
function modelsWords(justification: string): Line {
  return [
    { text: uncheckedWords, tone: 'muted', bold: true },
    { text: `“${onOneLine(justification)}”`, tone: 'muted', italic: true },
  ]
}

function placeOf({ rule: { name, file, line } }: Approval): string {
  if (file === undefined) return name
  return `${name}, ${file}${line === undefined ? '' : `:${line}`}`
}

function muted(text: string): Span {
  return { text: showHidden(collapseBlanks(text)).replaceAll('\n', ' '), tone: 'muted' }
}
