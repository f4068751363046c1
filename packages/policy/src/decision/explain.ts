import type { Decision } from './decide.ts'

const opening = { allow: 'Runs unasked', ask: 'Asks first', deny: 'Refused' } as const

/** One sentence for the model: what was decided, why, and by which rule. */
export function explainDecision({ verdict, reason, rule }: Decision): string {
  const place = rule.file === undefined ? '' : `, ${rule.file}${rule.line === undefined ? '' : `:${rule.line}`}`
  return `${opening[verdict]}: ${reason.replace(/\.$/, '')} [${rule.name}${place}].`
}
