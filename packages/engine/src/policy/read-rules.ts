import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { guardByName } from '@parley/host'
import type { Files } from '@parley/journal'
import {
  type PolicyFile,
  type Projects,
  problemLocation,
  type Rules,
  readPolicyFile,
  type ShellParser,
  type UserRules,
  withoutAllowing,
} from '@parley/policy'
import type { ConversationState, Overrides, SandboxMode } from '@parley/protocol'
import { type Environments, liesWithin, realOrGiven } from '@parley/workspace'
import { workspaceOf } from '../limits/workspace-folders.ts'
import { rejection } from '../replies/rejection.ts'
import { readGrants, type SealPorts } from '../settings/user-grants.ts'

/** Ports of the requests about policy that need no open conversation. */
export interface PolicyPorts {
  readonly files: Files
  readonly home: string
  readonly environments: Environments
  readonly shellParser: ShellParser
  readonly userRules: UserRules
  /** Projects; their rules apply where they are trusted. */
  readonly projects: Pick<Projects, 'of'>
}

export interface WantedRules {
  /** Path of a rules file that replaces the user's own. */
  readonly rules?: string | undefined
  /** Path of a rules file that applies besides it, as with `parley exec --policy`. */
  readonly policyFile?: string | undefined
  readonly cwd: string
}

/** Reads the rules to judge by. Rejects with `configInvalid` for a named file that is missing, or with a problem. */
export async function readWantedRules(userRules: UserRules, { rules, policyFile, cwd }: WantedRules): Promise<Rules> {
  const own = rules === undefined ? await userRules.read() : await readNamed(resolve(cwd, rules), { mayWiden: true })
  const over = policyFile === undefined ? [] : [await readNamed(resolve(cwd, policyFile))]
  return soundRules([own, ...over])
}

function readNamed(file: string, owner?: { readonly mayWiden: boolean }): Promise<PolicyFile> {
  if (!existsSync(file)) throw rejection('configInvalid', `The rules file ${file} does not exist.`, { where: file })
  return readPolicyFile(file, owner)
}

/** Returns the rules of all files. Throws `configInvalid` for the first problem in one of them. */
function soundRules(files: readonly PolicyFile[]): Rules {
  const [problem] = files.flatMap(({ problems }) => problems)
  if (problem === undefined) return files.flatMap(({ rules }) => rules)
  const where = problemLocation(problem)
  throw rejection('configInvalid', `${where}: ${problem.message}`, { where })
}

/** Conversation that is being opened. */
interface ConversationLaunch {
  readonly state: ConversationState
  readonly overrides: Overrides
  readonly readOnly: boolean
}

/** Reads the rules given at launch, and the user's own rules anew. Throws `configInvalid` when either has a mistake. */
export async function readGivenRules(ports: RulesPorts, opening: ConversationLaunch): Promise<Rules> {
  const policyFile = policyFileOf(opening)
  soundRules([await ports.userRules.read()])
  const rules = policyFile === undefined ? [] : soundRules([await readPolicyFile(policyFile)])
  // A file that only the log names may forbid and ask, and allows nothing.
  return isFromPerson(opening, ports) ? rules : withoutAllowing(rules)
}

interface RulesPorts extends SealPorts {
  readonly userRules: UserRules
}

/** Returns true for rules that a person gave: with this call, or with an earlier one that this home has sealed. */
function isFromPerson({ state, overrides }: ConversationLaunch, ports: SealPorts): boolean {
  const { meta, settings } = state.core
  if (overrides.policyFile !== undefined || settings.policyFile === undefined) return true
  return readGrants(ports, meta.conversationId).policyFile === settings.policyFile
}

/**
 * Warns about a policy file that commands can write to. No warning for a view, or for an environment on another
 * machine.
 */
export function writableRules(opening: ConversationLaunch, userHome: string) {
  const { settings } = opening.state.core
  if (opening.readOnly || settings.environment !== undefined) return []
  const { roots } = workspaceOf(opening.state)
  return rulesInReach(policyFileOf(opening), { roots, sandbox: settings.sandbox, home: userHome })
}

/** Returns the policy file of this opening, or the recorded one. */
function policyFileOf({ state, overrides }: ConversationLaunch): string | undefined {
  const { meta, settings } = state.core
  return overrides.policyFile === undefined ? settings.policyFile : resolve(meta.cwd, overrides.policyFile)
}

interface Workplace {
  /** Absolute folders of this machine that commands may write to. */
  readonly roots: readonly string[]
  readonly sandbox: SandboxMode
  readonly home: string
}

/** Warns when the policy file lies in a folder that commands may write to. */
export function rulesInReach(policyFile: string | undefined, { roots, sandbox, home }: Workplace): readonly string[] {
  if (policyFile === undefined || sandbox !== 'workspace-write') return []
  const [file, ...folders] = [policyFile, ...roots].map(realOrGiven)
  if (file === undefined || !folders.some((folder) => liesWithin(file, folder))) return []
  if (guardByName(folders, home)(file) !== null) return []
  return [
    `The policy file ${policyFile} lies in a folder that commands may write to, so commands can change the rules that limit them. Keep it elsewhere, or in .parley.`,
  ]
}
