import { type Config, looserSandbox, stricterSandbox } from '@parley/config'
import type { CeilingFlags } from '@parley/policy'
import {
  type ApprovalPolicy,
  aboveSandboxCeiling,
  isStricterSandbox,
  isUnasked,
  type SandboxCeiling,
  type SandboxMode,
  type Settings,
} from '@parley/protocol'
import type { RpcError } from '@parley/rpc'
import { rejection } from '../replies/rejection.ts'

/** Most permissive settings that this server allows to any client. */
export interface Ceiling {
  readonly sandbox: SandboxMode
  /** True where full access may go with the policy `never`. In sandboxed modes `never` permits nothing more. */
  readonly neverWithFullAccess: boolean
  /** True where a resumed log may turn network access on again. */
  readonly network: boolean
  /** True where a resumed log may allow unix sockets again. */
  readonly unixSockets: boolean
  /** Folders where secrets are kept that the user named, by flag or as `writable_roots`. */
  readonly secretFolders?: readonly string[]
  /** Program that was started, as named behind `parley`, for advice; absent: `server`. */
  readonly program?: 'mcp-server' | 'app-server' | 'acp'
  /** Most that the requesting user may set; absent where the user may set all that the server allows. */
  readonly ofUser?: SandboxMode
}

/** Mode that each server allows. It is no default: with another default in config.toml it stays. */
export const leastCeiling = 'workspace-write'

/** Policy in place of `never` where that is not allowed. */
const lowerPolicy = 'on-request'

/** Returns the ceiling. `own` is the user's own configuration with its profile, without a project's or a client's. */
export function ceilingOf({ maxSandbox, allowNever, secretFolders = [], program }: CeilingFlags, own: Config): Ceiling {
  const named = [...secretFolders, ...(own.sandbox_workspace_write?.writable_roots ?? [])]
  return {
    sandbox: maxSandbox ?? looserSandbox(leastCeiling, own.sandbox_mode ?? leastCeiling),
    neverWithFullAccess: allowNever || own.approval_policy === 'never',
    network: own.sandbox_workspace_write?.network_access === true,
    unixSockets: own.sandbox_workspace_write?.allow_unix_sockets === true,
    ...(named.length === 0 ? {} : { secretFolders: named }),
    ...(program === undefined ? {} : { program }),
  }
}

/** Returns the ceiling for settings that a user requests; settings of others stay. Null: all that the server allows. */
export function ceilingForRequests(ceiling: Ceiling, most: SandboxMode | null): Ceiling {
  return most === null ? ceiling : { ...ceiling, ofUser: most }
}

/** Returns the ceiling for a conversation that a user begins, for settings of any origin. */
export function ceilingForBeginner(ceiling: Ceiling, most: SandboxMode | null): Ceiling {
  return most === null
    ? ceiling
    : { ...ceilingForRequests(ceiling, most), sandbox: stricterSandbox(ceiling.sandbox, most) }
}

type Permissions = Pick<Settings, 'approvalPolicy' | 'sandbox'>

/** Permissions that the caller requested explicitly. */
export interface RequestedPermissions {
  readonly approvalPolicy?: ApprovalPolicy
  readonly sandbox?: SandboxMode
}

/**
 * Lowers permissions to the ceiling. Throws `aboveCeiling` for values that the caller requested explicitly; values of a
 * file or a log are lowered without an error.
 */
export function underCeiling(wanted: Permissions, requested: RequestedPermissions, ceiling: Ceiling): Permissions {
  const { ofUser } = ceiling
  const { sandbox: mode } = requested
  if (mode !== undefined && ofUser !== undefined && isStricterSandbox(ofUser, mode)) throw aboveOwnCeiling(ofUser, mode)
  if (mode !== undefined && aboveSandboxCeiling({ sandbox: mode }, allowedBy(ceiling)) !== null)
    throw sandboxRejected(mode, ceiling)
  const sandbox = stricterSandbox(wanted.sandbox, ceiling.sandbox)
  const { approvalPolicy } = wanted
  if (!isUnasked({ sandbox, approvalPolicy }) || ceiling.neverWithFullAccess) return { sandbox, approvalPolicy }
  if (requested.approvalPolicy === 'never') throw neverRejected(ceiling)
  return { sandbox, approvalPolicy: lowerPolicy }
}

/** Throws `aboveCeiling` for a change of settings. With full access, the policy that stays counts as requested too. */
export function assertUnderCeiling(change: RequestedPermissions, now: Permissions, ceiling: () => Ceiling): void {
  const { sandbox, approvalPolicy } = change
  if (sandbox === undefined && approvalPolicy === undefined) return
  const wanted = { sandbox: sandbox ?? now.sandbox, approvalPolicy: approvalPolicy ?? now.approvalPolicy }
  underCeiling(wanted, { ...change, approvalPolicy: wanted.approvalPolicy }, ceiling())
}

/** Builds the error for a request beyond the rights of its user. */
export function aboveOwnCeiling(most: SandboxMode, wanted: SandboxMode): RpcError {
  return rejection(
    'aboveCeiling',
    `You may use ${most} at most on this server, so not ${wanted}. An admin can change that.`,
  )
}

/** Throws `aboveCeiling` for an approval that gives more rights than the user has. */
export function assertApprovalWithin(most: SandboxMode | null, reaches: SandboxMode): void {
  if (most === null || !isStricterSandbox(most, reaches)) return
  throw rejection(
    'aboveCeiling',
    `You may use ${most} at most on this server, and a yes here gives ${reaches}. Say no, or leave it to somebody who may use more; an admin can change what you may.`,
  )
}

function sandboxRejected(mode: SandboxMode, { sandbox, program }: Ceiling): RpcError {
  const ways = `Whoever starts it can allow more: ${waysTo(program, `--max-sandbox ${mode}`, `-s ${mode}`)}`
  return rejection('aboveCeiling', `This server was started for ${sandbox} at most, so not for ${mode}. ${ways}`, {
    flag: '--max-sandbox',
  })
}

function neverRejected({ program }: Ceiling): RpcError {
  const ways = waysTo(program, `${fullAccess} --allow-never`, '-s danger-full-access -a never')
  return rejection(
    'aboveCeiling',
    `This server was not started for full access with nobody asked. Whoever starts it can allow it: ${ways}`,
    { flag: '--allow-never' },
  )
}

/** Throws `aboveCeiling` for network for all commands, unless the operator of the server allowed it. */
export function assertNetworkAllowed(network: boolean | undefined, ceiling: Ceiling): void {
  if (aboveSandboxCeiling({ network }, allowedBy(ceiling)) === null) return
  const ways = waysTo(ceiling.program, fullAccess, '-c sandbox_workspace_write.network_access=true')
  throw rejection(
    'aboveCeiling',
    `This server was not started for network for all commands. Whoever starts it can allow it: sandbox_workspace_write.network_access = true in config.toml, or ${ways}`,
    { flag: '--max-sandbox' },
  )
}

/** Returns the limits of commands under a ceiling: full access includes network and unix sockets. */
function allowedBy({ sandbox, network, unixSockets }: Ceiling): SandboxCeiling {
  const isFull = sandbox === 'danger-full-access'
  return { sandbox, network: network || isFull, unixSockets: unixSockets || isFull }
}

const fullAccess = '--max-sandbox danger-full-access'

/**
 * Returns the first setting of a conversation above the ceiling, with flags of the server and the config key that would
 * allow it; null where all settings are allowed.
 */
export function firstExcess(
  settings: Settings,
  ceiling: Ceiling,
): { readonly what: string; readonly flags: string; readonly key?: string } | null {
  const { sandbox } = settings
  const excess = aboveSandboxCeiling(settings, allowedBy(ceiling))
  if (excess === 'sandbox') return { what: sandbox, flags: `--max-sandbox ${sandbox}` }
  if (isUnasked(settings) && !ceiling.neverWithFullAccess)
    return { what: 'full access with nobody asked', flags: `--allow-never ${fullAccess}` }
  const section = 'sandbox_workspace_write'
  if (excess === 'network')
    return { what: 'network for its commands', flags: fullAccess, key: `${section}.network_access` }
  return excess === 'unixSockets'
    ? { what: 'local sockets for its commands', flags: fullAccess, key: `${section}.allow_unix_sockets` }
    : null
}

/** Builds the rejection of a folder with secrets or of the kernel, which the operator did not allow. */
export function closedFolderRejected(folder: string, isOfKernel: boolean, { program }: Ceiling): RpcError {
  const flags = `--allow-secret-folder ${folder}`
  const why = isOfKernel
    ? 'is a folder of the kernel, so parley does not work in it: commands could change the system and end processes.'
    : 'is a place where secrets are kept, so parley does not work in it: commands could read and change them.'
  return rejection(
    'aboveCeiling',
    `${folder} ${why} Name another folder. Whoever starts parley can allow this one: ${program === undefined ? `parley ${flags}` : `parley ${program} ${flags}`}`,
    { flag: '--allow-secret-folder' },
  )
}

/** Returns the commands that allow more, as they can be typed. */
function waysTo(program: Ceiling['program'], serverFlags: string, terminalFlags: string): string {
  if (program !== undefined) return `parley ${program} ${serverFlags}.`
  return `parley server ${serverFlags}; for a conversation of the terminal, parley resume ID ${terminalFlags}.`
}

/** Returns a sentence about permissions that were lowered to the ceiling, or null. `from` begins it. */
export function loweredText(wanted: Permissions, allowed: Permissions, from: string): string | null {
  if (wanted.sandbox !== allowed.sandbox)
    return `${from} ${wanted.sandbox}, and this server was started for ${allowed.sandbox} at most: ${allowed.sandbox} is in force. -s ${wanted.sandbox} on the command line gives it back.`
  if (wanted.approvalPolicy !== allowed.approvalPolicy)
    return `${from} full access with nobody asked; you are asked (${allowed.approvalPolicy}). -a never on the command line gives it back.`
  return null
}
