import type { CommandFacts, CommandPart, Facts } from './facts.ts'
import { matchesMcpPattern } from './mcp-pattern.ts'
import { matchesPathPattern } from './path-pattern.ts'
import { fitsCommand, type Rule, type Rules } from './rules.ts'

/**
 * The rule that allows the whole call, or null. Allow rules reach no further than what they say: every part of an
 * understood command must fit one or be known-safe, every file must fit by its real path.
 */
export function matchAllow(rules: Rules, facts: Facts): Rule | null {
  if (facts.kind === 'command' && facts.touchesSecret !== null) return null
  const allowing = rules.filter((rule) => rule.decision === 'allow')
  const byTool = allowing.find((rule) => rule.target.kind === 'tool' && rule.target.tool === facts.tool)
  if (byTool !== undefined) return byTool
  switch (facts.kind) {
    case 'command':
      return allowForCommand(allowing, facts)
    case 'patch':
      return allowForFiles(
        allowing,
        facts.files.map((file) => file.real),
        facts.cwd,
      )
    case 'read':
      return allowForFiles(
        allowing,
        facts.paths.map((path) => path.real),
        facts.cwd,
      )
    case 'mcp':
      return allowing.find(({ target }) => target.kind === 'mcp' && matchesMcpPattern(target.pattern, facts)) ?? null
    case 'other':
      return null
  }
}

function allowForCommand(allowing: Rules, facts: CommandFacts): Rule | null {
  if (!facts.understood) return null
  const questioned = facts.parts.filter((part) => !part.knownSafe)
  const matches = questioned.map((part) => allowing.find((rule) => allowsPart(rule, part)))
  const [first] = matches
  return first === undefined || matches.includes(undefined) ? null : first
}

/** A bare name is the installed program, so a file of the workspace that shadows it does not fit. */
function allowsPart({ target }: Rule, part: CommandPart): boolean {
  if (target.kind !== 'command' || !fitsCommand(target, part.argv)) return false
  return part.program.includes('/') || !part.programInsideRoots
}

function allowForFiles(allowing: Rules, files: readonly string[], cwd: string): Rule | null {
  const matches = files.map((real) =>
    allowing.find(({ target }) => target.kind === 'path' && matchesPathPattern(target.pattern, real, cwd)),
  )
  const [first] = matches
  return first === undefined || matches.includes(undefined) ? null : first
}
