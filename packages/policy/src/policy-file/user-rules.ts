import { closeSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openUnlocked, readIfThere } from '@parley/host'
import { isMissing, systemErrorReason } from '@parley/workspace'
import type { Rules } from '../decision/rules/rules.ts'
import {
  type PolicyFile,
  type PolicyProblem,
  parsePolicyText,
  problemLocation,
  readPolicyFile,
} from './read-policy-file.ts'

/** User's own `policy.toml`, shared by all conversations of a server. */
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
  let rules: Rules = []
  return {
    file,
    get rules() {
      return rules
    },
    async read() {
      const found = await readPolicyFile(file, own)
      if (found.problems.length === 0) rules = found.rules
      return found
    },
    add(text) {
      try {
        const plan = planAddition(readText(file), text, file)
        if ('problem' in plan) return plan
        if (plan.addition !== '') append(file, plan.addition)
        rules = plan.rules
        return { line: plan.line }
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
  return other !== undefined && one.decision === other.decision && sameTarget(one.target, other.target)
}

function sameTarget(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function problemText(problem: PolicyProblem): string {
  return `${problemLocation(problem)}: ${problem.message}`
}

function readText(file: string): string {
  try {
    return readIfThere(file) ?? ''
  } catch (error) {
    if (isMissing(error)) return ''
    throw error
  }
}

/** Appends in one write, so that text of other programs stays whole and a crash or a full disk leaves all or nothing. */
function append(file: string, addition: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const descriptor = openUnlocked(file, 'a', 0o600)
  try {
    const bytes = Buffer.from(addition)
    const before = fstatSync(descriptor).size
    const written = writeSync(descriptor, bytes)
    if (written < bytes.length) {
      // Half a rule would be a mistake in the file. What another program has appended since stays.
      if (fstatSync(descriptor).size === before + written) ftruncateSync(descriptor, before)
      throw new Error('the disk took only a part of it')
    }
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
