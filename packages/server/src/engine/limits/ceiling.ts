import { type Config, isStricterSandbox, looserSandbox, stricterSandbox } from '@parley/config'
import type { ApprovalPolicy, SandboxMode, Settings } from '@parley/protocol'
import type { RpcError } from '@parley/rpc'
import { rejection } from '../replies/rejection.ts'

/** What a server program was told on its command line about how much it may ever allow. */
export interface CeilingFlags {
  /** Null: what the user's own configuration says, and `workspace-write` at least. */
  readonly maxSandbox: SandboxMode | null
  readonly allowNever: boolean
  /** The profile of the user's that counts as their configuration; null for the one that it names itself. */
  readonly profile: string | null
  /** The name behind `parley` of the program that was started, for advice; absent: `server`. */
  readonly program?: 'mcp-server'
}

/** The most that this server allows, whoever asks. */
export interface Ceiling {
  readonly sandbox: SandboxMode
  /** Full access with nobody asked. In the limited modes `never` runs nothing that would run otherwise. */
  readonly neverWithFullAccess: boolean
  /** What a log may give back: it says what was, and is no authority on what may be. */
  readonly network: boolean
  readonly unixSockets: boolean
  /** The name behind `parley` of the program that was started, for advice; absent: `server`. */
  readonly program?: 'mcp-server'
}

export const defaultCeilingFlags: CeilingFlags = {
  maxSandbox: null,
  allowNever: false,
  profile: null,
}

/** `own`: the user's own file with that profile, and nothing that a client or a project has said. */
export function ceilingOf({ maxSandbox, allowNever, program }: CeilingFlags, own: Config): Ceiling {
  return {
    sandbox: maxSandbox ?? looserSandbox('workspace-write', own.sandbox_mode ?? 'workspace-write'),
    neverWithFullAccess: allowNever || own.approval_policy === 'never',
    network: own.sandbox_workspace_write?.network_access === true,
    unixSockets: own.sandbox_workspace_write?.allow_unix_sockets === true,
    ...(program === undefined ? {} : { program }),
  }
}

type Limits = Pick<Settings, 'approvalPolicy' | 'sandbox'>

/** What of this a caller has set itself, by whatever way. */
export interface Asked {
  readonly approvalPolicy?: ApprovalPolicy
  readonly sandbox?: SandboxMode
}

/**
 * What may be in force of what would be. Throws for what the caller has asked for; what only a file or a log says is
 * lowered.
 */
export function underCeiling(wanted: Limits, asked: Asked, ceiling: Ceiling): Limits {
  if (asked.sandbox !== undefined && isStricterSandbox(ceiling.sandbox, asked.sandbox))
    throw sandboxRefused(asked.sandbox, ceiling)
  const sandbox = stricterSandbox(wanted.sandbox, ceiling.sandbox)
  const isUnasked = sandbox === 'danger-full-access' && wanted.approvalPolicy === 'never'
  if (!isUnasked || ceiling.neverWithFullAccess) return { sandbox, approvalPolicy: wanted.approvalPolicy }
  if (asked.approvalPolicy === 'never') throw neverRefused(ceiling)
  return { sandbox, approvalPolicy: 'on-request' }
}

/** For a change of what is in force: with full access the policy that stays counts as asked for too. */
export function assertUnderCeiling(change: Asked, now: Limits, ceiling: () => Ceiling): void {
  const { sandbox, approvalPolicy } = change
  if (sandbox === undefined && approvalPolicy === undefined) return
  const wanted = { sandbox: sandbox ?? now.sandbox, approvalPolicy: approvalPolicy ?? now.approvalPolicy }
  underCeiling(wanted, { ...change, approvalPolicy: wanted.approvalPolicy }, ceiling())
}

function sandboxRefused(asked: SandboxMode, { sandbox, program }: Ceiling): RpcError {
  const ways = `Whoever starts it can allow more: ${waysTo(program, `--max-sandbox ${asked}`, `-s ${asked}`)}`
  return rejection('aboveCeiling', `This server was started for ${sandbox} at most, so not for ${asked}. ${ways}`, {
    flag: '--max-sandbox',
  })
}

function neverRefused({ program }: Ceiling): RpcError {
  const ways = waysTo(program, '--max-sandbox danger-full-access --allow-never', '-s danger-full-access -a never')
  return rejection(
    'aboveCeiling',
    `This server was not started for full access with nobody asked. Whoever starts it can allow it: ${ways}`,
    { flag: '--allow-never' },
  )
}

/** Commands that give more, as they can be typed. */
function waysTo(program: Ceiling['program'], serverFlags: string, terminalFlags: string): string {
  if (program !== undefined) return `parley ${program} ${serverFlags}.`
  return `parley server ${serverFlags}; for a conversation of the terminal, parley resume ID ${terminalFlags}.`
}

/** What a log or a file says that is more than this server allows, in a sentence; null where nothing is lowered. */
export function loweredText(wanted: Limits, allowed: Limits, from: string): string | null {
  if (wanted.sandbox !== allowed.sandbox)
    return `${from} ${wanted.sandbox}, and this server was started for ${allowed.sandbox} at most: ${allowed.sandbox} is in force. -s ${wanted.sandbox} on the command line gives it back.`
  if (wanted.approvalPolicy !== allowed.approvalPolicy)
    return `${from} full access with nobody asked; you are asked (${allowed.approvalPolicy}). -a never on the command line gives it back.`
  return null
}
