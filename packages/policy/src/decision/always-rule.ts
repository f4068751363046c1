import { wordsForAlways } from './always-programs.ts'
import { type DecideSettings, decide } from './decide.ts'
import type { CommandPart, Facts } from './facts.ts'
import { quotedWord } from './quoted-word.ts'
import type { Rule, RuleTarget } from './rules.ts'

/** The rules that a yes for always to one call would add. */
export interface AlwaysRules {
  /** For the key: what it allows; `…` at its end says that more words may follow. */
  readonly label: string
  /** Exactly the lines that are added to a policy file. */
  readonly text: string
  readonly targets: readonly RuleTarget[]
}

const maxRules = 3
const maxLabelLength = 160
/** Words that mean what they look like, also to whoever reads the file. */
const plainWord = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/**
 * Null unless the rules answer this very question: they are tried on it, beside all that holds already. Never for what
 * destroys, leads to secrets, leaves the sandbox, goes on in the background or is not wholly understood.
 */
export function alwaysRulesFor(facts: Facts, settings: DecideSettings): AlwaysRules | null {
  const targets = targetsFor(facts)
  if (targets === null || targets.length === 0 || targets.length > maxRules) return null
  if (decide(facts, settings).verdict !== 'ask') return null
  const label = targets.map(labelOf).join(' && ')
  if (label.length > maxLabelLength) return null
  const source = { file: 'policy.toml' }
  const added = targets.map((target): Rule => ({ decision: 'allow', target, source }))
  const { verdict } = decide(facts, { ...settings, rules: [...settings.rules, ...added] })
  return verdict === 'allow' ? { label, text: targets.map(textOf).join('\n'), targets } : null
}

function targetsFor(facts: Facts): readonly RuleTarget[] | null {
  if (facts.kind === 'mcp') {
    const pattern = `${facts.server}/${facts.name}`
    return /^[\w.-]+\/[\w./-]+$/.test(pattern) ? [{ kind: 'mcp', pattern }] : null
  }
  if (facts.kind !== 'command') return null
  if (!facts.understood || facts.dangerous !== null || facts.touchesSecret !== null) return null
  if (facts.escalation !== null || facts.network !== undefined || facts.background) return null
  const questioned = facts.parts.filter((part) => !part.knownSafe)
  const targets = questioned.map((part) => targetFor(part, questioned.length > 1))
  const found = targets.filter((target) => target !== null)
  return found.length === targets.length ? unlike(found) : null
}

/** A command that stands among others is allowed with exactly its words. */
function targetFor({ argv, program, programPath, programInsideRoots }: CommandPart, among: boolean) {
  if (programPath === null || programInsideRoots || !/^[\w.+-]+$/.test(program)) return null
  if (!argv.every((word) => plainWord.test(word))) return null
  const words = wordsForAlways(argv)
  if (words === null) return null
  const exact = words.exact || among
  const prefix = (exact ? argv : argv.slice(0, words.count)).map((word) => [word])
  return exact ? { kind: 'command' as const, prefix, exact } : { kind: 'command' as const, prefix }
}

function unlike(targets: readonly RuleTarget[]): readonly RuleTarget[] {
  return [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()]
}

function labelOf(target: RuleTarget): string {
  if (target.kind !== 'command') return target.kind === 'mcp' ? target.pattern : ''
  const words = target.prefix.map(([word = '']) => quotedWord(word))
  return `${words.join(' ')}${target.exact === true ? '' : ' …'}`
}

/** JSON's strings of plain words are TOML's as well. */
function textOf(target: RuleTarget): string {
  const head = '[[rule]]\ndecision = "allow"\n'
  if (target.kind !== 'command') return target.kind === 'mcp' ? `${head}mcp = ${JSON.stringify(target.pattern)}\n` : ''
  const words = target.prefix.map(([word]) => JSON.stringify(word)).join(', ')
  return `${head}command = [${words}]\n${target.exact === true ? 'exact = true\n' : ''}`
}
