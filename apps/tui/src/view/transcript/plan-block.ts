import type { Plan } from '@parley/protocol'
import { stripEffects } from '../text/control-characters.ts'
import { beside, indented, marked } from '../text/gutter.ts'
import type { Line, Room, Style } from '../text/span.ts'
import { wrapLine, wrapLines } from '../text/wrap.ts'
import type { Block } from './block.ts'

type Status = Plan['steps'][number]['status']

const looks: Readonly<Record<Status, { mark: string; style: Style }>> = {
  completed: { mark: '✓', style: { tone: 'muted' } },
  inProgress: { mark: '▸', style: { bold: true } },
  pending: { mark: '○', style: {} },
}

const markTones = { completed: 'good', inProgress: 'accent', pending: 'muted' } as const

/** Returns the plan as a check list. */
export function planBlock({ explanation, steps }: Plan, room: Room): Block {
  const inner = beside(room)
  const why = explanation === undefined ? [] : wrapLines([[{ text: stripEffects(explanation), tone: 'muted' }]], inner)
  return {
    kind: 'plan',
    lines: [
      ...marked({ text: '≡', tone: 'accent' }, [[{ text: 'Plan', bold: true }]]),
      ...indented(why),
      ...indented(steps.flatMap((step) => stepRows(step, inner))),
    ],
  }
}

function stepRows({ step, status }: Plan['steps'][number], room: Room): readonly Line[] {
  const { mark, style } = looks[status]
  const rows = wrapLine([{ text: stripEffects(step).replaceAll('\n', ' '), ...style }], beside(room))
  return marked({ text: mark, tone: markTones[status] }, rows)
}

export function isFinished({ steps }: Plan): boolean {
  return steps.every(({ status }) => status === 'completed')
}
