import { type ApprovalPolicy, isStricterSandbox, type SandboxMode } from './setting-names.ts'

export const modeNames = ['ask', 'edit', 'plan'] as const

export type ModeName = (typeof modeNames)[number]

/** A pair of approval policy and sandbox mode with a name, for people. It permits nothing that the pair does not. */
export interface Mode {
  readonly name: ModeName
  readonly title: string
  /** Description in one sentence. */
  readonly about: string
  readonly approvalPolicy: ApprovalPolicy
  readonly sandbox: SandboxMode
}

/** Modes in the order that clients show. */
export const modes: readonly Mode[] = [
  {
    name: 'ask',
    title: 'Ask',
    about: 'Asks before every change and all but harmless commands.',
    approvalPolicy: 'untrusted',
    sandbox: 'workspace-write',
  },
  {
    name: 'edit',
    title: 'Edit',
    about: 'Changes files in the working folder; asks to leave the sandbox or use the network.',
    approvalPolicy: 'on-request',
    sandbox: 'workspace-write',
  },
  {
    name: 'plan',
    title: 'Plan',
    about: 'Looks and runs commands that change nothing; asks before every change.',
    approvalPolicy: 'on-request',
    sandbox: 'read-only',
  },
]

/** Settings that a mode names. */
type Pair = Pick<Mode, 'approvalPolicy' | 'sandbox'>

/**
 * Returns the mode with this approval policy and sandbox mode; `custom` for any other pair. Network and added folders
 * do not count.
 */
export function modeOf({ approvalPolicy, sandbox }: Pair): ModeName | 'custom' {
  const found = modes.find((mode) => mode.approvalPolicy === approvalPolicy && mode.sandbox === sandbox)
  return found?.name ?? 'custom'
}

/** Returns the modes that each of the sandbox ceilings allows. */
export function modesWithin(...ceilings: readonly SandboxMode[]): readonly Mode[] {
  return modes.filter(({ sandbox }) => ceilings.every((ceiling) => !isStricterSandbox(ceiling, sandbox)))
}

/** Returns the mode after the one in force, the first after `custom`; null where the ceilings allow no other. */
export function nextMode(now: Pair, ...ceilings: readonly SandboxMode[]): Mode | null {
  const offered = modesWithin(...ceilings)
  const current = modeOf(now)
  const at = offered.findIndex(({ name }) => name === current)
  const next = offered[(at + 1) % offered.length]
  return next === undefined || next.name === current ? null : next
}

export function pairOf({ approvalPolicy, sandbox }: Mode): Pair {
  return { approvalPolicy, sandbox }
}

/** Returns the mode of a name; undefined for other words. */
export function modeNamed(name: string): Mode | undefined {
  return modes.find((mode) => mode.name === name)
}
