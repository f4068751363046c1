import { type Mode, type ModeName, modesWithin } from '../modes/modes.ts'
import type { SandboxMode } from '../modes/setting-names.ts'
import type { Approval, ApprovalRequest, Form, FormField } from '../schema/approval.ts'
import type { Answers, ApprovalDecision } from '../schema/input.ts'

/** Name of the field of a plan's form that holds the mode to work in. */
const modeField = 'mode'

/** Answers to a plan by the mode that each chooses, in words for people; `plan` denies the plan. */
export const planWords: Readonly<Record<ModeName, string>> = {
  ask: 'work, asked before every change',
  edit: 'work, and change files in the folder unasked',
  plan: 'keep planning',
}

/** Returns the form of a plan: the choice of the mode to work in. */
export function planForm(modes: readonly Mode[]): Form {
  const choices = modes.map(({ name }) => ({ value: name, title: planWords[name] }))
  return { fields: [{ name: modeField, title: 'How to go on', type: 'choice', choices, required: true }] }
}

/** Returns the modes that the answer to a plan may choose within the ceilings; empty for other questions. */
export function planModes(
  { kind, form }: Pick<ApprovalRequest, 'kind' | 'form'>,
  ...ceilings: readonly SandboxMode[]
): readonly Mode[] {
  const choices = kind === 'plan' ? (form?.fields[0]?.choices ?? []) : []
  const within = modesWithin(...ceilings)
  return choices.flatMap(({ value }) => within.find(({ name }) => name === value) ?? [])
}

export function planAnswers(mode: ModeName): Answers {
  return { [modeField]: mode }
}

/** Returns the mode that answers to a plan choose; null for other answers. */
export function chosenMode({ kind, form }: Pick<Approval, 'kind' | 'form'>, answers: Answers): Mode | null {
  const name = Object.hasOwn(answers, modeField) ? answers[modeField] : undefined
  return planModes({ kind, ...(form === undefined ? {} : { form }) }).find((mode) => mode.name === name) ?? null
}

/** Value of the choice that keeps planning. */
const keep = 'plan' as const satisfies ModeName
const noteField = 'note'

/** Returns the fields of a form that holds every answer to a plan, for clients that know nothing but forms. */
export function planFields(modes: readonly Mode[]): readonly FormField[] {
  const note = { name: noteField, title: 'Note to the model', type: 'string', required: false } as const
  if (modes.length === 0) return [note]
  const choices = [...modes.map(({ name }) => name), keep].map((name) => ({ value: name, title: planWords[name] }))
  return [{ name: modeField, title: 'How to go on', type: 'choice', choices, required: true }, note]
}

/** Answer to a plan as `approval/decide` takes it. */
export interface PlanAnswer {
  readonly decision: ApprovalDecision
  readonly answers?: Answers
  readonly note?: string
}

/** Reads the answers to `planFields`. Anything but a mode that was offered keeps planning. */
export function readPlanFields(modes: readonly Mode[], answers: Answers): PlanAnswer {
  const mode = modes.find(({ name }) => name === answers[modeField])
  const written = String(answers[noteField] ?? '').trim()
  const note = written === '' ? {} : { note: written }
  if (mode === undefined) return { decision: 'denied', ...note }
  return { decision: 'approved', answers: planAnswers(mode.name), ...note }
}
