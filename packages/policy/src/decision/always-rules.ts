import { type DecideSettings, decide, mayWiden } from './decide.ts'
import { type Facts, kindOf } from './facts.ts'
import { quotedWord, type Rule, type RuleTarget, type WiderRight, widerKeys, widerRights } from './rules/rules.ts'

/** Allow rules that "always" would add for one call. */
export interface AlwaysRules {
  /** Text of the choice: the commands or tools that the rules allow; `…` at its end stands for further words. */
  readonly label: string
  /** Lines added to the policy file. */
  readonly text: string
  readonly targets: readonly RuleTarget[]
}

const maxRules = 3
const maxLabelLength = 160

/**
 * Returns the rules that would allow a call in future; null unless they answer its question beside all rules in force.
 * There are no rules for commands that are dangerous, touch secrets, run in the background or are not understood.
 */
export function alwaysRulesFor(facts: Facts, settings: DecideSettings): AlwaysRules | null {
  const targets = kindOf(facts).alwaysTargets?.(facts) ?? []
  if (targets.length === 0 || targets.length > maxRules) return null
  if (!targets.every((target) => grantsOf(target).every((right) => mayWiden(right, settings)))) return null
  if (decide(facts, settings).verdict !== 'ask') return null
  const label = targets.map(labelOf).join(' && ')
  if (label.length > maxLabelLength) return null
  const source = { file: 'policy.toml' }
  const added = targets.map((target): Rule => ({ decision: 'allow', target, source }))
  const { verdict } = decide(facts, { ...settings, rules: [...settings.rules, ...added] })
  return verdict === 'allow' ? { label, text: targets.map(ruleText).join('\n'), targets } : null
}

function labelOf(target: RuleTarget): string {
  if (target.kind !== 'command') return target.kind === 'mcp' ? target.pattern : ''
  const words = target.prefix.map(([word = '']) => quotedWord(word))
  return `${words.join(' ')}${target.exact === true ? '' : ' …'}`
}

function grantsOf(target: RuleTarget): readonly WiderRight[] {
  return target.kind === 'command' ? (target.grants ?? []) : []
}

/** Writes the rule as TOML. JSON's strings of plain words are valid in TOML as well. */
function ruleText(target: RuleTarget): string {
  const head = '[[rule]]\ndecision = "allow"\n'
  if (target.kind !== 'command') return target.kind === 'mcp' ? `${head}mcp = ${JSON.stringify(target.pattern)}\n` : ''
  const words = target.prefix.map(([word]) => JSON.stringify(word)).join(', ')
  const exact = target.exact === true ? 'exact = true\n' : ''
  const given = widerKeys.filter((key) => grantsOf(target).includes(widerRights[key]))
  return `${head}command = [${words}]\n${exact}${given.map((key) => `${key} = true\n`).join('')}`
}
