import * as z from 'zod'
import { allow, ask, askedRow, deny, harmlessRow } from '../rules/matrix.ts'
import { matchesPathPattern } from '../rules/path-pattern.ts'
import type { Rule, Rules } from '../rules/rules.ts'
import { describeList, type FactsKind } from './kind.ts'

export interface ReadPath {
  readonly path: string
  readonly real: string
  /** Reads everything below as well. */
  readonly recursive: boolean
}

export const readPathSchema = () => z.object({ path: z.string(), real: z.string(), recursive: z.boolean() })

/** Facts about a call that reads files. */
export interface ReadFacts {
  readonly kind: 'read'
  readonly tool: string
  readonly paths: readonly JudgedReadPath[]
  readonly cwd: string
}

export interface JudgedReadPath extends ReadPath {
  readonly insideRoots: boolean
  /** Lies where secrets are kept, or is read recursively and contains such a path. */
  readonly secret: boolean
}

export const readRows = {
  readInside: harmlessRow(allow('read-inside-roots', 'it only reads, inside the working folders')),
  readOutside: harmlessRow(allow('read-outside-roots', 'it only reads, and reading is not limited except for secrets')),
  readSecret: askedRow(
    ask('read-secret', 'it reads where secrets are kept', { pastSandbox: true }),
    deny('read-secret-never', 'policyNever', 'it reads where secrets are kept, and the approval policy is never'),
  ),
}

export const readKind: FactsKind<ReadFacts> = {
  schema: () =>
    z.object({
      kind: z.literal('read'),
      tool: z.string(),
      paths: z.array(readPathSchema().extend({ insideRoots: z.boolean(), secret: z.boolean() })),
      cwd: z.string(),
    }),

  row({ paths }) {
    if (paths.some((path) => path.secret)) return readRows.readSecret
    return paths.every((path) => path.insideRoots) ? readRows.readInside : readRows.readOutside
  },

  particulars: ({ paths }) => paths.find((path) => path.secret)?.real ?? '',
  describe: ({ paths }) => describeList('reads', paths.map(describeRead)),
  paths: ({ cwd, paths }) => ({ cwd, paths }),
  allowedBy: (facts, allowing) => allowEveryPath(allowing, realPathsOf(facts), facts.cwd),
  // Bound to one tool, since approval to list a folder is not an approval to read its files.
  alike: ({ tool, paths }) => ({
    words: `any look at ${placesWords(paths)} by ${tool}`,
    marks: paths.map(({ real, recursive }) => JSON.stringify([tool, real, recursive])),
  }),
  approvalKind: () => 'read',
}

function placesWords(paths: readonly ReadPath[]): string {
  const below = paths.some(({ recursive }) => recursive) ? ' and all below' : ''
  return `${paths.length === 1 ? 'this path' : 'these paths'}${below}`
}

function realPathsOf({ paths }: ReadFacts): readonly string[] {
  return paths.map((path) => path.real)
}

function describeRead({ real, recursive, insideRoots, secret }: JudgedReadPath): string {
  const where = secret ? 'where secrets are kept' : insideRoots ? 'inside the folders' : 'outside the folders'
  return `${real}${recursive ? ' and all below it' : ''}, ${where}`
}

/**
 * Returns the first of the rules that together allow every file by its real path; null when a file lacks such a rule.
 */
export function allowEveryPath(allowing: Rules, realPaths: readonly string[], cwd: string): Rule | null {
  const matches = realPaths.map((real) =>
    allowing.find(({ target }) => target.kind === 'path' && matchesPathPattern(target.pattern, real, cwd)),
  )
  const [first] = matches
  return first === undefined || matches.includes(undefined) ? null : first
}
