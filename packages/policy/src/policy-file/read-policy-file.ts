import { readIfExists } from '@parley/host'
import { closest, isMissing } from '@parley/text'
import { systemErrorReason } from '@parley/workspace'
import { parse, TomlError } from 'smol-toml'
import { fileKeys, parseRules, type RuleProblem, ruleKeys } from '../decision/rules/parse-rules.ts'
import type { Rules } from '../decision/rules/rules.ts'

export interface PolicyProblem {
  readonly file: string
  /** Line from 1; absent when the file could not be read. */
  readonly line?: number
  readonly message: string
}

export interface PolicyFile {
  readonly rules: Rules
  /** Problems to show to the user. Any of them drops the allow rules, a syntax error all rules. */
  readonly problems: readonly PolicyProblem[]
}

/** Returns `file:line` of a problem. */
export function problemLocation({ file, line }: PolicyProblem): string {
  return line === undefined ? file : `${file}:${line}`
}

/** Rights of the author of a policy file. */
interface PolicyOwner {
  /** True for the user's own file: its rules may give rights beyond the sandbox. False by default. */
  readonly mayWiden?: boolean
}

/**
 * Reads a policy file. A missing file has no rules; every failure, also a link that leads nowhere, is a problem in the
 * result.
 */
export async function readPolicyFile(file: string, owner?: PolicyOwner): Promise<PolicyFile> {
  try {
    const text = readIfExists(file)
    return text === null ? { rules: [], problems: [] } : parsePolicyText(text, file, owner)
  } catch (error) {
    if (isMissing(error)) return { rules: [], problems: [] }
    return { rules: [], problems: [{ file, message: `cannot be read: ${systemErrorReason(error)}` }] }
  }
}

export function parsePolicyText(text: string, file: string, { mayWiden = false }: PolicyOwner = {}): PolicyFile {
  const toml = parseToml(text, file)
  if ('problem' in toml) return { rules: [], problems: [toml.problem] }
  const lines = ruleLines(text)
  const { rules, problems } = parseRules(toml.value, { file, lines, mayWiden })
  return { rules, problems: problems.map((problem) => withLine(problem, { file, text, lines })) }
}

function parseToml(text: string, file: string): { value: unknown } | { problem: PolicyProblem } {
  try {
    return { value: parse(text) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [message = 'is not valid TOML'] = error.message.split('\n')
    return { problem: { file, line: error.line, message } }
  }
}

function withLine(
  problem: RuleProblem,
  source: { file: string; text: string; lines: readonly number[] },
): PolicyProblem {
  const { file, text, lines } = source
  const start = problem.ruleIndex === null ? 0 : (lines[problem.ruleIndex] ?? 0)
  const key = problem.unknownKey ?? problem.keyPath.match(/^rule\[\d+\]\.(\w+)/)?.[1]
  const line = key === undefined ? start : keyLine(text, key, start)
  return { file, line: Math.max(1, line), message: `${problem.keyPath}: ${problem.message}${suggestion(problem)}` }
}

function suggestion({ unknownKey, ruleIndex }: RuleProblem): string {
  if (unknownKey === undefined) return ''
  const meant = closest(unknownKey.toLowerCase(), ruleIndex === null ? fileKeys : ruleKeys)
  return meant === null ? '' : ` (did you mean ${meant}?)`
}

const header = /^\s*\[\[\s*(?:rule|"rule"|'rule')\s*\]\]/
const tripleQuote = /"""|'''/g

/** Returns the line of each `[[rule]]`, from 1 and in order. Rules of an inline array have no line. */
function ruleLines(text: string): number[] {
  const found: number[] = []
  let open: string | null = null
  for (const [index, line] of text.split('\n').entries()) {
    if (open === null && header.test(line)) found.push(index + 1)
    for (const [quote] of line.matchAll(tripleQuote)) {
      if (open === null) open = quote
      else if (open === quote) open = null
    }
  }
  return found
}

/** Returns the line where a key is set, searched from `from` on; `from` when the key is not set. */
function keyLine(text: string, key: string, from: number): number {
  const lines = text.split('\n')
  for (let line = from; line < lines.length; line++) {
    const candidate = lines[line] ?? ''
    if (header.test(candidate)) break
    if (candidate.split('=')[0]?.trim().replace(/["']/g, '') === key) return line + 1
  }
  return from
}
