import type { Facts, PatchFacts, ReadFacts } from './facts.ts'
import { matchesPathPattern } from './path-pattern.ts'
import { absoluteFrom, baseName } from './path-text.ts'
import { fitsPrefix, type Rule, type Rules } from './rules.ts'

/**
 * The first rule of this verdict that fits any part of the call. Strict rules reach far: commands inside wrappers
 * and nested scripts, a program named by its path, a file by its real path or by the one the model wrote.
 */
export function matchStrict(verdict: 'ask' | 'deny', rules: Rules, facts: Facts): Rule | null {
  return rules.find((rule) => rule.decision === verdict && fitsAnywhere(rule, facts)) ?? null
}

function fitsAnywhere({ target }: Rule, facts: Facts): boolean {
  switch (target.kind) {
    case 'tool':
      return target.tool === facts.tool
    case 'command':
      return facts.kind === 'command' && commandsOf(facts).some((argv) => fitsPrefix(target.prefix, argv))
    case 'path':
      return (facts.kind === 'patch' || facts.kind === 'read') && fitsAnyFile(target.pattern, facts)
  }
}

function commandsOf(facts: Extract<Facts, { kind: 'command' }>): (readonly (string | null)[])[] {
  const written = [facts.argv, ...facts.parts.map((part) => part.argv), ...facts.seen]
  const bare = written.map(([program, ...rest]) => [baseName(program ?? ''), ...rest])
  return [...written, ...bare]
}

function fitsAnyFile(pattern: string, facts: PatchFacts | ReadFacts): boolean {
  const files = facts.kind === 'patch' ? facts.files : facts.paths
  return files.some(({ path, real }) =>
    [real, absoluteFrom(facts.cwd, path)].some((place) => matchesPathPattern(pattern, place, facts.cwd)),
  )
}
