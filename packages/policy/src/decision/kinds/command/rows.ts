import { reasonsToAsk } from '@parley/protocol/calls'
import {
  allow,
  always,
  ask,
  askedRow,
  type Cell,
  deny,
  enforcedOrAsked,
  enforcedOrDenied,
  harmlessRow,
  type MatrixRow,
  outcomes,
  rowOf,
} from '../../rules/matrix.ts'
import { deceptions } from '../deceptions.ts'
import type { CommandFacts, CommandPart } from './facts.ts'

const escalation = ask('escalation', 'it asks to run outside the sandbox', {
  pastSandbox: true,
  wider: 'outsideSandbox',
})
const escalationNever = deny(
  'escalation-never',
  'escalationRefused',
  'it asks to run outside the sandbox, and the approval policy is never: try it without escalation',
)
const network = ask('network', 'it asks to use the network', { wider: 'network' })
const networkNever = deny(
  'network-never',
  'networkRefused',
  'it asks to use the network, and the approval policy is never: try it without, or let the user set network_access in [sandbox_workspace_write] of config.toml',
)
const dangerous = ask('dangerous', reasonsToAsk.dangerous)
const dangerousNever = deny(
  'dangerous-never',
  'dangerous',
  `${reasonsToAsk.dangerous}, and the approval policy is never`,
)

/** Cells of commands that are not known to be safe. */
export const otherCommandCells = {
  untrusted: always(outcomes.untrusted),
  'on-failure': enforcedOrAsked(outcomes.sandboxed),
  'on-request': enforcedOrAsked(outcomes.sandboxed),
  never: enforcedOrDenied(outcomes.sandboxed),
}

export const commandRows = {
  knownSafe: harmlessRow(allow('known-safe', 'it only looks, and only with options known to be harmless')),
  otherCommand: rowOf(otherCommandCells),
  escalation: rowOf({
    untrusted: always(escalation),
    'on-failure': enforcedOrAsked(outcomes.sandboxed),
    'on-request': always(escalation),
    never: always(escalationNever),
  }),
  network: rowOf({
    untrusted: networkOr(always(outcomes.untrusted)),
    'on-failure': enforcedOrAsked(outcomes.sandboxed),
    'on-request': networkOr(enforcedOrAsked(outcomes.sandboxed)),
    never: { ...enforcedOrDenied(outcomes.sandboxed), full: networkNever },
  }),
  dangerous: askedRow(dangerous, dangerousNever, {
    fullAccess: { 'on-failure': always(dangerous), 'on-request': always(dangerous) },
  }),
}

/** Asks for the network where a sandbox withholds it. Without enforcement the command has the network anyway. */
function networkOr(otherwise: Cell): Cell {
  return { ...otherwise, full: network, partial: network }
}

export function rowOfCommand(facts: CommandFacts): MatrixRow {
  if (facts.dangerous !== null) return commandRows.dangerous
  if (facts.escalation !== null) return commandRows.escalation
  if (facts.network !== undefined) return commandRows.network
  return facts.knownSafe ? commandRows.knownSafe : commandRows.otherCommand
}

/** Returns the detail for the reason. The model's reason for a request is shown apart, as the model's words. */
export function particularsOfCommand(facts: CommandFacts): string {
  return [mainParticulars(facts), ...facts.parts.flatMap(programRemarks), ...folderRemarks(facts)]
    .filter((text) => text !== '')
    .join('; ')
}

function mainParticulars(facts: CommandFacts): string {
  if (facts.dangerous !== null) return facts.dangerous
  if (facts.touchesSecret !== null) return `${facts.touchesSecret} is where secrets are kept`
  return facts.notUnderstoodBecause ?? ''
}

/** Returns a remark on a program with a misleading name: a file of the writable folders, or a link in them. */
function programRemarks({ program, programPath, programReal, programInsideRoots }: CommandPart): string[] {
  if (!programInsideRoots || programPath === null) return []
  if (programReal !== undefined) return [`${program} is the program ${programPath}, which leads to ${programReal}`]
  return program.includes('/') ? [] : [`${program} is the program ${programPath}, a file of the writable folders`]
}

function folderRemarks({ cwd }: CommandFacts): string[] {
  return deceptions(cwd).map((why) => `the folder ${why}`)
}
