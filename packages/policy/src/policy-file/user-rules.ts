import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isSafe } from '@parley/config'
import { readIfExists, realPathIfExists } from '@parley/host'
import { replaceSyncedFile } from '@parley/journal'
import { isMissing } from '@parley/text'
import { systemErrorReason } from '@parley/workspace'
import { type Rules, withoutAllowing } from '../decision/rules/rules.ts'
import {
  type PolicyFile,
  type PolicyProblem,
  parsePolicyText,
  problemLocation,
  readPolicyFile,
} from './read-policy-file.ts'

/** User's own `policy.toml`, shared by all conversations of a server. Under `--safe` it allows nothing. */
export interface UserRules {
  readonly file: string
  /** Rules of the last read without a problem. */
  readonly rules: Rules
  /** Reads the file again. */
  read(): Promise<PolicyFile>
  /**
   * Appends allow rules that the file lacks; they hold at once. Returns the line of the first one, or a sentence when
   * nothing was written.
   */
  add(text: string): { readonly line: number } | { readonly problem: string }
}

/** Rights of the user's own file. */
const own = { mayWiden: true }

export function createUserRules(home: string): UserRules {
  const file = join(home, 'policy.toml')
  const inForce = (rules: Rules) => (isSafe(home) ? withoutAllowing(rules) : rules)
  let rules: Rules = []
  return {
    file,
    get rules() {
      return rules
    },
    async read() {
      const found = await readPolicyFile(file, own)
      if (found.problems.length === 0) rules = inForce(found.rules)
      return { ...found, rules: inForce(found.rules) }
    },
    add(text) {
      if (isSafe(home)) return { problem: 'parley was started with --safe, where no rule allows anything' }
      try {
        for (;;) {
          const before = readText(file)
          const plan = planAddition(before, text, file)
          if ('problem' in plan) return plan
          if (plan.addition !== '' && !replaceIfSame(file, before, before + plan.addition)) continue
          rules = plan.rules
          return { line: plan.line }
        }
      } catch (error) {
        return { problem: `${file} cannot be written: ${systemErrorReason(error)}` }
      }
    },
  }
}

interface Addition {
  /** Text appended to the file; empty when no rule is missing. */
  readonly addition: string
  readonly line: number
  /** Rules of the whole file after the addition. */
  readonly rules: Rules
}

/** Plans an addition and checks the resulting file, since its end may lie within a text that swallows the rules. */
function planAddition(before: string, text: string, file: string): Addition | { problem: string } {
  const known = parsePolicyText(before, file, own)
  if (known.problems[0] !== undefined) return { problem: problemText(known.problems[0]) }
  const wanted = parsePolicyText(text, file, own)
  const missing = wanted.rules.filter((rule) => !known.rules.some((one) => sameRule(one, rule)))
  const [first] = wanted.rules
  if (missing.length === 0 && first !== undefined) {
    const line = known.rules.find((one) => sameRule(one, first))?.source.line ?? 1
    return { addition: '', line, rules: known.rules }
  }
  const addition = `${before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n'}${text}`
  const after = parsePolicyText(before + addition, file, own)
  if (after.problems[0] !== undefined) return { problem: problemText(after.problems[0]) }
  const added = after.rules.slice(known.rules.length)
  const fits =
    wanted.problems.length === 0 &&
    added.length === wanted.rules.length &&
    added.every((rule, index) => rule.decision === 'allow' && sameRule(rule, wanted.rules[index]))
  if (!fits) return { problem: `${file} ends in a way that a rule cannot be added behind it` }
  return { addition, line: added[0]?.source.line ?? 1, rules: after.rules }
}

function sameRule(one: Rules[number], other: Rules[number] | undefined): boolean {
  return (
    other !== undefined &&
    one.decision === other.decision &&
    JSON.stringify(one.target) === JSON.stringify(other.target)
  )
}

function problemText(problem: PolicyProblem): string {
  return `${problemLocation(problem)}: ${problem.message}`
}

function readText(file: string): string {
  try {
    return readIfExists(file) ?? ''
  } catch (error) {
    if (isMissing(error)) return ''
    throw error
  }
}

/**
 * Replaces the file that the path leads to, through links. Returns false when the file no longer has the content
 * `before`.
 */
function replaceIfSame(file: string, before: string, content: string): boolean {
  // Appended text could be half there after a loss of power, and a file with a mistake keeps every conversation closed.
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const real = realPathIfExists(file)
  // A read-only file is meant to stay as it is.
  if (real !== null) accessSync(real, constants.W_OK)
  const mode = real === null ? 0o600 : statSync(real).mode & 0o777
  return replaceSyncedFile(real ?? file, { content, mode }, () => readText(file) === before)
}
