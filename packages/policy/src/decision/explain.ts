import type { Decision } from './decide.ts'
import { type Facts, kindOf } from './facts.ts'
import { isInertWord } from './kinds/kind.ts'

const opening = { allow: 'Runs unasked', ask: 'Asks first', deny: 'Denied' } as const

/** Explains a decision to the model in one sentence: the verdict, the reason and the rule. */
export function explainDecision({ verdict, reason, rule }: Decision): string {
  const source = rule.file === undefined ? '' : `, ${rule.file}${rule.line === undefined ? '' : `:${rule.line}`}`
  return `${opening[verdict]}: ${reason.replace(/\.$/, '')} [${rule.name}${source}].`
}

interface ShownCall {
  readonly facts: Facts
  /** Text of a patch or arguments of a tool, as the model wrote them; null when they contain no secret. */
  readonly written: string | null
}

/**
 * Returns whether masking the secrets would hide from the user what the call does. Anything can be made to look like
 * a secret, and whoever approves a call must have seen what runs.
 */
export function conceals(
  { facts, written }: ShownCall,
  secretsIn: (text: string) => ReadonlyMap<string, string>,
): boolean {
  const { text, mayMask } = kindOf(facts).approvedText?.(facts, written ?? '') ?? {
    text: written ?? '',
    mayMask: isInertWord,
  }
  return ![...secretsIn(text).values()].every(mayMask)
}
