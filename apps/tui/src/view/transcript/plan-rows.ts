import { stripEffects, strippedLine } from '@parley/presentation/text/control-characters'
import { type Line, lineText, type Room, type Style } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import type { Plan } from '@parley/protocol'
import { wrapLine, wrapLines } from '../text/fit-rows.ts'
import { beside, indented, marked } from '../text/gutter.ts'
import type { TranscriptBlock } from './block.ts'

type ShownStep = Plan['steps'][number]
type Status = ShownStep['status']

const looks: Readonly<Record<Status, { mark: string; style: Style }>> = {
  completed: { mark: '✓', style: { tone: 'muted' } },
  inProgress: { mark: '▸', style: { bold: true } },
  pending: { mark: '○', style: {} },
}

const markTones = { completed: 'good', inProgress: 'accent', pending: 'muted' } as const

export function planBlock({ explanation, steps }: Plan, room: Room): TranscriptBlock {
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

function stepRows({ step, status }: ShownStep, room: Room): readonly Line[] {
  const { mark, style } = looks[status]
  const rows = wrapLine([{ text: strippedLine(step), ...style }], beside(room))
  return marked({ text: mark, tone: markTones[status] }, rows)
}

/** Returns the plan as one row: all steps where they fit, else how many are done and the step at work. */
export function planRow({ steps }: Plan, room: Room): Line {
  const whole = steps.flatMap((step, index) => [...(index === 0 ? [] : [{ text: '  ' }]), ...stepSpans(step)])
  if (cellWidth(lineText(whole), room.ambiguous) <= room.columns) return whole
  const done = steps.filter(({ status }) => status === 'completed').length
  const current = steps.find(({ status }) => status !== 'completed') ?? steps.at(-1)
  const counted: Line = [{ text: `${done} of ${steps.length} done  `, tone: 'muted' }]
  return truncateLine([...counted, ...(current === undefined ? [] : stepSpans(current))], room)
}

/** Returns true if all steps fit into one row. */
export function fitsRow(plan: Plan, room: Room): boolean {
  return lineText(planRow(plan, room)).includes(strippedLine(plan.steps.at(-1)?.step ?? '')) && plan.steps.length > 0
}

function stepSpans({ step, status }: ShownStep): Line {
  const { mark, style } = looks[status]
  return [
    { text: `${mark} `, tone: markTones[status] },
    { text: strippedLine(step), ...style },
  ]
}
