import type { CommandFacts, Facts } from './facts.ts'
import type { Column } from './matrix.ts'

/** The kind of a call. Where several would fit, the one that asks more comes first. */
export function columnOf(facts: Facts): Column {
  switch (facts.kind) {
    case 'command':
      return columnOfCommand(facts)
    case 'patch':
      if (facts.files.some((file) => file.protectedBy !== null)) return 'patchProtected'
      return facts.files.every((file) => file.insideRoots) ? 'patchInside' : 'patchOutside'
    case 'read':
      if (facts.paths.some((path) => path.secret)) return 'readSecret'
      return facts.paths.every((path) => path.insideRoots) ? 'readInside' : 'readOutside'
    case 'mcp':
    case 'other':
      return facts.readOnly ? 'toolReadOnly' : 'toolWithEffects'
  }
}

function columnOfCommand({ dangerous, escalation, network, knownSafe }: CommandFacts): Column {
  if (dangerous !== null) return 'dangerous'
  if (escalation !== null) return 'escalation'
  if (network !== undefined) return 'network'
  return knownSafe ? 'knownSafe' : 'otherCommand'
}

/**
 * What about this very call put it into its column; empty when there is nothing to add. Never the model's own reason
 * for escalating: that is shown apart, as the model's words.
 */
export function particularsOf(facts: Facts): string {
  switch (facts.kind) {
    case 'command':
      return commandParticulars(facts)
    case 'patch': {
      const file =
        facts.files.find((candidate) => candidate.protectedBy !== null) ??
        facts.files.find((candidate) => !candidate.insideRoots)
      if (file === undefined) return ''
      return file.protectedBy === null ? file.real : `${file.path}: ${file.protectedBy}`
    }
    case 'read':
      return facts.paths.find((path) => path.secret)?.real ?? ''
    case 'mcp':
      return `${facts.name} of the MCP server ${facts.server}`
    case 'other':
      return ''
  }
}

function commandParticulars(facts: CommandFacts): string {
  if (facts.dangerous !== null) return facts.dangerous
  if (facts.touchesSecret !== null) return `${facts.touchesSecret} is where secrets are kept`
  return facts.notUnderstoodBecause ?? ''
}
