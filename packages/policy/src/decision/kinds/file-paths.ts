import * as z from 'zod'
import { matchesPathPattern } from '../rules/path-pattern.ts'
import type { Rule, Rules } from '../rules/rules.ts'

/** Path that a call reads. */
export interface ReadPath {
  readonly path: string
  readonly real: string
  /** Reads everything below as well. */
  readonly recursive: boolean
}

export const readPathSchema = z.object({ path: z.string(), real: z.string(), recursive: z.boolean() })

/** Grant for the files themselves, whatever is done with them later. */
export interface PathGrant {
  readonly realPaths: readonly string[]
}

export function coversPaths(granted: PathGrant, asked: PathGrant): boolean {
  return asked.realPaths.every((path) => granted.realPaths.includes(path))
}

/** Returns the first of the rules that together allow every file by its real path, or null when a file has none. */
export function allowEveryPath(allowing: Rules, realPaths: readonly string[], cwd: string): Rule | null {
  const matches = realPaths.map((real) =>
    allowing.find(({ target }) => target.kind === 'path' && matchesPathPattern(target.pattern, real, cwd)),
  )
  const [first] = matches
  return first === undefined || matches.includes(undefined) ? null : first
}
