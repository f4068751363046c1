import type { Answers, ApprovalRequest, FormField, Mode } from '@parley/protocol'
import { type PlanAnswer, planFields, readPlanFields } from '@parley/protocol/question'

/** Approval as a client that shows forms is asked about it. */
interface AskedForm {
  readonly approval: Pick<ApprovalRequest, 'kind' | 'form'>
  /** Modes that this client may answer a plan with. */
  readonly modes: readonly Mode[]
}

/** Returns the fields of the form: those of the approval, and of a plan all of its answers. */
export function askedFields({ approval: { kind, form }, modes }: AskedForm): readonly FormField[] {
  return kind === 'plan' ? planFields(modes) : (form?.fields ?? [])
}

/** Returns the decision of a form that was accepted. */
export function formDecision({ approval: { kind }, modes }: AskedForm, answers: Answers): PlanAnswer {
  return kind === 'plan' ? readPlanFields(modes, answers) : { decision: 'approved', answers }
}
