import type { Answers, ApprovalRequest, FormField, Mode } from '@parley/protocol'
import { hiddenWarnings, onOneLine, type PlanAnswer, planFields, readPlanFields } from '@parley/protocol/question'

export interface RequestedSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

/** Returns the JSON Schema of a form, as MCP clients show one. */
export function formSchema(fields: readonly FormField[]): RequestedSchema {
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    ...(required.length === 0 ? {} : { required }),
  }
}

function propertyOf({ type, title, description, choices = [], default: preset }: FormField): Record<string, unknown> {
  const shown = {
    title: onOneLine(title),
    ...(description === undefined ? {} : { description: onOneLine(description) }),
    // A client could write it to a terminal as it is, and it must go back unchanged.
    ...(preset === undefined || hiddenWarnings(String(preset)).length > 0 ? {} : { default: preset }),
  }
  if (type === 'choices')
    return {
      type: 'array',
      ...shown,
      items: { anyOf: choices.map(({ value, title: words }) => ({ const: value, title: onOneLine(words) })) },
    }
  if (type !== 'choice') return { type, ...shown }
  return {
    type: 'string',
    ...shown,
    enum: choices.map(({ value }) => value),
    enumNames: choices.map((one) => onOneLine(one.title)),
  }
}

/** Approval as a client that shows forms is asked about it. */
interface AskedForm {
  readonly approval: Pick<ApprovalRequest, 'kind' | 'form'>
  /** Modes that this client may answer a plan with. */
  readonly modes: readonly Mode[]
}

/** Returns the fields of the form: the approval's own, or all answers to a plan. */
export function askedFields({ approval: { kind, form }, modes }: AskedForm): readonly FormField[] {
  return kind === 'plan' ? planFields(modes) : (form?.fields ?? [])
}

/** Returns the decision of a form that was accepted. */
export function formDecision({ approval: { kind }, modes }: AskedForm, answers: Answers): PlanAnswer {
  return kind === 'plan' ? readPlanFields(modes, answers) : { decision: 'approved', answers }
}
