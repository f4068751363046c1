import type { CommandFacts, Facts } from './facts.ts'

/** What "approved for the session" covers. Plain data. */
export type Grant =
  | {
      readonly kind: 'command'
      readonly tool: string
      readonly argv: readonly string[]
      readonly cwd: string
      /** Where each program was found: a file that shadows one later needs its own yes. */
      readonly programs: readonly (string | null)[]
      readonly escalated: boolean
      readonly networked: boolean
      readonly background: boolean
      readonly run: 'sandboxed' | 'unsandboxed'
    }
  /** Later patches to these files or some of them, whatever they write. */
  | { readonly kind: 'patch'; readonly realPaths: readonly string[] }
  /** By tool too: a yes to the names in a folder is none to what its files hold. */
  | { readonly kind: 'read'; readonly tool: string; readonly realPaths: readonly string[] }
  | { readonly kind: 'mcp'; readonly server: string; readonly name: string }
  | { readonly kind: 'tool'; readonly tool: string }

/**
 * The grant that a "for the session" answer to this call makes, or null when such an answer must not be offered:
 * what destroys for good, and protected files, are asked each time.
 */
export function grantFor(facts: Facts, run: 'sandboxed' | 'unsandboxed'): Grant | null {
  switch (facts.kind) {
    case 'command':
      return facts.dangerous === null ? { kind: 'command', ...boundOf(facts), run } : null
    case 'patch':
      if (facts.files.some((file) => file.protectedBy !== null)) return null
      return { kind: 'patch', realPaths: facts.files.map((file) => file.real) }
    case 'read':
      return { kind: 'read', tool: facts.tool, realPaths: facts.paths.map((path) => path.real) }
    case 'mcp':
      return { kind: 'mcp', server: facts.server, name: facts.name }
    case 'other':
      return { kind: 'tool', tool: facts.tool }
  }
}

export function matchesGrant(grant: Grant, facts: Facts, run: 'sandboxed' | 'unsandboxed'): boolean {
  const asked = grantFor(facts, run)
  if (asked === null) return false
  switch (grant.kind) {
    case 'command':
      return asked.kind === 'command' && sameCommand(grant, asked)
    case 'patch':
      return asked.kind === 'patch' && covers(grant, asked)
    case 'read':
      return asked.kind === 'read' && asked.tool === grant.tool && covers(grant, asked)
    case 'mcp':
      return asked.kind === 'mcp' && asked.server === grant.server && asked.name === grant.name
    case 'tool':
      return asked.kind === 'tool' && asked.tool === grant.tool
  }
}

interface PathGrant {
  readonly realPaths: readonly string[]
}

function covers(grant: PathGrant, asked: PathGrant): boolean {
  return asked.realPaths.every((path) => grant.realPaths.includes(path))
}

type CommandGrant = Extract<Grant, { kind: 'command' }>

function boundOf(facts: CommandFacts): Omit<CommandGrant, 'kind' | 'run'> {
  const { tool, argv, cwd, parts, escalation, network, background } = facts
  const programs = parts.map((part) => part.programPath)
  return { tool, argv, cwd, programs, escalated: escalation !== null, networked: network !== undefined, background }
}

function sameCommand(grant: CommandGrant, asked: CommandGrant): boolean {
  return (
    grant.tool === asked.tool &&
    grant.cwd === asked.cwd &&
    grant.escalated === asked.escalated &&
    grant.networked === asked.networked &&
    grant.background === asked.background &&
    grant.run === asked.run &&
    sameList(grant.argv, asked.argv) &&
    sameList(grant.programs, asked.programs)
  )
}

function sameList(a: readonly (string | null)[], b: readonly (string | null)[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index])
}
