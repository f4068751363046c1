import { type Facts, kindOf } from './facts.ts'
import type { RuleMatching } from './kinds/kind.ts'
import { absoluteFrom, matchesPathPattern, mayMatchBelow } from './rules/path-pattern.ts'
import type { Rule, Rules, WiderRight } from './rules/rules.ts'

/**
 * Returns the first rule of this verdict that fits any part of the call: wrapped and nested commands, programs by path,
 * files by real path or as written.
 */
export function matchStrict(verdict: 'ask' | 'deny', rules: Rules, facts: Facts): Rule | null {
  const strict = rules.filter((rule) => rule.decision === verdict)
  if (strict.length === 0) return null
  const { cwd, texts } = pathTexts(facts)
  const fitsPart = kindOf(facts).strictMatcher?.(facts) ?? (() => false)
  const fits = ({ target }: Rule) => {
    if (target.kind === 'tool') return target.tool === facts.tool
    if (target.kind === 'path') return texts.some((text) => matchesPathPattern(target.pattern, text, cwd))
    return fitsPart(target)
  }
  return strict.find(fits) ?? null
}

/** Returns the first strict rule about paths that may lie below a folder which the call reads as a whole. */
export function matchBelow(rules: Rules, facts: Facts): Rule | null {
  const { cwd, folders } = pathTexts(facts)
  const reaches = ({ decision, target }: Rule) =>
    decision !== 'allow' &&
    target.kind === 'path' &&
    folders.some((folder) => mayMatchBelow(target.pattern, folder, cwd))
  return rules.find(reaches) ?? null
}

/** Returns the paths of a call as texts, real and as written, and the folders among them that are read recursively. */
function pathTexts(facts: Facts): { cwd: string; texts: readonly string[]; folders: readonly string[] } {
  const { cwd, paths } = kindOf(facts).paths?.(facts) ?? { cwd: '/', paths: [] }
  const textsOf = ({ real, path }: (typeof paths)[number]) => [real, absoluteFrom(cwd, path)]
  return {
    cwd,
    texts: paths.flatMap(textsOf),
    folders: paths.filter(({ recursive }) => recursive === true).flatMap(textsOf),
  }
}

/**
 * Returns the rule that allows the whole call, or null: every command must fit one or be known to be safe, every file
 * must fit by its real path.
 */
export function matchAllow(rules: Rules, facts: Facts): Rule | null {
  return matchAllowing(rules, facts, (kind, allowing) => {
    const byTool = allowing.find(({ target }) => target.kind === 'tool' && target.tool === facts.tool)
    return byTool ?? kind.allowedBy?.(facts, allowing) ?? null
  })
}

/** Returns the allow rule that gives the whole call a right beyond the sandbox, or null. */
export function matchWider(rules: Rules, facts: Facts, right: WiderRight): Rule | null {
  return matchAllowing(rules, facts, (kind, allowing) => kind.widenedBy?.(facts, allowing, right) ?? null)
}

function matchAllowing(
  rules: Rules,
  facts: Facts,
  match: (kind: RuleMatching<Facts>, allowing: Rules) => Rule | null,
): Rule | null {
  const kind = kindOf(facts)
  if (kind.isNeverAllowed?.(facts) === true) return null
  const allowing = rules.filter((rule) => rule.decision === 'allow')
  return match(kind, allowing)
}
