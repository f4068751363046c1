import { readIfThere } from '@parley/host'
import { closest } from '@parley/text'
import { isMissing, systemErrorReason } from '@parley/workspace'
import { parse, TomlError } from 'smol-toml'
import { fileKeys, parseRules, type RuleProblem, ruleKeys } from '../decision/parse-rules.ts'
import type { Rules } from '../decision/rules.ts'
import { keyLine, ruleLines } from './rule-lines.ts'

export interface PolicyProblem {
  readonly file: string
  /** 1-based; absent when the file could not be read at all. */
  readonly line?: number
  readonly message: string
}

export interface PolicyFile {
  readonly rules: Rules
  /** Not empty: the allow rules were dropped, and after a syntax error all rules; the user must be told. */
  readonly problems: readonly PolicyProblem[]
}

/** `file:line` of a problem. */
export function placeOf({ file, line }: PolicyProblem): string {
  return line === undefined ? file : `${file}:${line}`
}

/** A file that does not exist holds no rules; a link that leads nowhere is a problem. */
export async function readPolicyFile(file: string): Promise<PolicyFile> {
  try {
    const text = readIfThere(file)
    return text === null ? { rules: [], problems: [] } : parsePolicyText(text, file)
  } catch (error) {
    if (isMissing(error)) return { rules: [], problems: [] }
    return { rules: [], problems: [{ file, message: `cannot be read: ${systemErrorReason(error)}` }] }
  }
}

export function parsePolicyText(text: string, file: string): PolicyFile {
  const toml = parseToml(text, file)
  if ('problem' in toml) return { rules: [], problems: [toml.problem] }
  const lines = ruleLines(text)
  const { rules, problems } = parseRules(toml.value, { file, lines })
  return { rules, problems: problems.map((problem) => placed(problem, { file, text, lines })) }
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

function placed(problem: RuleProblem, where: { file: string; text: string; lines: readonly number[] }): PolicyProblem {
  const { file, text, lines } = where
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
