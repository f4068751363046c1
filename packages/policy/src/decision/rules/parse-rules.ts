import * as z from 'zod'
import { exampleProblems } from './check-examples.ts'
import { componentsOf } from './path-pattern.ts'
import { type Rule, type Rules, type RuleTarget, widerKeys, widerRights, withoutAllowing } from './rules.ts'

export interface RuleProblem {
  /** Path of keys in the file, e.g. `rule[2].command`. */
  readonly keyPath: string
  /** Index of the rule; null for a problem of the file itself. */
  readonly ruleIndex: number | null
  /** Key that the file or the rule does not have. */
  readonly unknownKey?: string
  readonly message: string
}

export interface ParsedRules {
  readonly rules: Rules
  readonly problems: readonly RuleProblem[]
}

export const fileKeys = ['rule'] as const
export const ruleKeys = [
  'decision',
  'command',
  'exact',
  'network',
  'outside_sandbox',
  'tool',
  'path',
  'mcp',
  'reason',
  'match',
  'not_match',
] as const

/** Creates the schemas of a policy file, which few starts read. */
function createSchemas() {
  const word = z.string().min(1)
  const pattern = word.superRefine((text, context) => {
    const problem = patternProblem(text)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })

  const example = z.union([word, z.array(word).min(1)])

  const ruleSchema = z
    .strictObject({
      decision: z.enum(['allow', 'ask', 'deny']),
      command: z
        .array(z.union([word, z.array(word).min(1)]))
        .min(1)
        .exactOptional(),
      exact: z.boolean().exactOptional(),
      network: z.boolean().exactOptional(),
      outside_sandbox: z.boolean().exactOptional(),
      tool: word.exactOptional(),
      path: pattern.exactOptional(),
      mcp: word.regex(/^[^/]+\/./, 'is SERVER/TOOL, either with * for any characters').exactOptional(),
      reason: z.string().exactOptional(),
      match: z.array(example).exactOptional(),
      not_match: z.array(example).exactOptional(),
    })
    .refine(
      ({ command, tool, path, mcp }) => [command, tool, path, mcp].filter((one) => one !== undefined).length === 1,
      {
        message: 'needs exactly one of command, tool, path and mcp',
      },
    )
    .refine(({ command, exact }) => exact === undefined || command !== undefined, {
      path: ['exact'],
      message: 'goes with command only',
    })
    .superRefine((entry, context) => {
      for (const key of widerKeys) {
        if (entry[key] === undefined || (entry.command !== undefined && entry.decision === 'allow')) continue
        context.addIssue({ code: 'custom', path: [key], message: 'goes with decision = "allow" and command only' })
      }
    })

  const fileSchema = z.strictObject({ rule: z.array(z.unknown()).exactOptional() })
  return { file: fileSchema, rule: ruleSchema }
}

type RuleEntry = z.infer<ReturnType<typeof createSchemas>['rule']>

export interface RulesSource {
  readonly file: string
  /** Line of each rule, from 1. */
  readonly lines: readonly number[]
  /** True for the user's own policy file: its rules may give rights beyond the sandbox. */
  readonly mayWiden?: boolean
}

/**
 * Reads the rules of a parsed policy file. A file with a problem loses its allow rules, since the unread part may have
 * limited them; its asks and denials hold.
 */
export function parseRules(value: unknown, source: RulesSource): ParsedRules {
  const schemas = createSchemas()
  const file = schemas.file.safeParse(value)
  if (!file.success) return { rules: [], problems: problemsOf(file.error, [], null) }
  const rules: Rule[] = []
  const problems: RuleProblem[] = []
  for (const [index, entry] of (file.data.rule ?? []).entries()) {
    const parsed = schemas.rule.safeParse(entry)
    if (!parsed.success) {
      for (const problem of problemsOf(parsed.error, ['rule', index], index)) problems.push(problem)
      continue
    }
    const [refused] = source.mayWiden === true ? [] : widerKeysOf(parsed.data)
    if (refused !== undefined) {
      const keyPath = keyPathText(['rule', index, refused])
      problems.push({ keyPath, ruleIndex: index, message: 'counts only in policy.toml of your own home' })
      continue
    }
    const rule = ruleFrom(parsed.data, { file: source.file, line: source.lines[index] })
    rules.push(rule)
    for (const { at, message } of exampleProblems(rule.target, parsed.data))
      problems.push({ keyPath: keyPathText(['rule', index, ...at]), ruleIndex: index, message })
  }
  return { rules: problems.length === 0 ? rules : withoutAllowing(rules), problems }
}

function ruleFrom(entry: RuleEntry, location: { file: string; line: number | undefined }): Rule {
  const source = location.line === undefined ? { file: location.file } : { file: location.file, line: location.line }
  const rule = { decision: entry.decision, target: targetOf(entry), source }
  return entry.reason === undefined ? rule : { ...rule, reason: entry.reason }
}

function targetOf(entry: RuleEntry): RuleTarget {
  const { command, exact, tool, path, mcp } = entry
  if (command !== undefined) {
    const prefix = command.map((words) => (typeof words === 'string' ? [words] : words))
    const grants = widerKeysOf(entry).map((key) => widerRights[key])
    const target = exact === true ? { kind: 'command' as const, prefix, exact } : { kind: 'command' as const, prefix }
    return grants.length === 0 ? target : { ...target, grants }
  }
  if (mcp !== undefined) return { kind: 'mcp', pattern: mcp }
  return tool === undefined ? { kind: 'path', pattern: path ?? '' } : { kind: 'tool', tool }
}

/** Returns the keys of a rule that give rights beyond the sandbox. */
function widerKeysOf(entry: RuleEntry) {
  return widerKeys.filter((key) => entry[key] === true)
}

/** Limits of a pattern: each is compared with every path that a call names. */
const maxComponents = 64
const maxCharacters = 4096

function patternProblem(text: string): string | null {
  if (text.length > maxCharacters) return `has more than ${maxCharacters} characters, the most of a path`
  if (componentsOf(text).length > maxComponents) return `has more than ${maxComponents} names between slashes`
  if (text.startsWith('~')) return '~ is not expanded: write an absolute path'
  if (componentsOf(text).includes('..')) return '.. is not allowed: write an absolute path'
  return /[[\]{}!]/.test(text) ? 'only *, ** and ? are patterns' : null
}

function problemsOf(error: z.ZodError, prefix: readonly (string | number)[], ruleIndex: number | null): RuleProblem[] {
  return error.issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path]
    if (issue.code !== 'unrecognized_keys') return [{ keyPath: keyPathText(path), ruleIndex, message: issue.message }]
    return issue.keys.map((unknownKey) => ({
      keyPath: keyPathText([...path, unknownKey]),
      ruleIndex,
      unknownKey,
      message: 'unknown key',
    }))
  })
}

function keyPathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? String(key) : `${text}.${String(key)}`
  }, '')
}
