import type { Duplex } from 'node:stream'
import type { GuardSurroundings } from '../paths/guarded-paths.ts'
import type { Exchanged } from '../paths/move-aside.ts'
import { signalGroup } from '../system/signals.ts'
import type { SpawnError } from '../system/spawn-failure.ts'

/** Limits of a command. Paths are absolute and real (no links in them), of the machine it runs on. */
export interface SandboxLimits {
  readonly mode: 'read-only' | 'workspace-write'
  /** Folders that may be written to, the workspace first; without effect in `read-only`. */
  readonly writableRoots: readonly string[]
  /** Device and inode that writable folders must have, by path. A folder without an entry is taken as it is. */
  readonly identities?: ReadonlyMap<string, string>
  /** True for the whole network. False leaves a loopback, of its own or shared (`Sandboxes.prepare`). */
  readonly network: boolean
  /** True to allow unix sockets to commands without the network; well-known ones of the system stay masked. */
  readonly unixSockets: boolean
  /** Files and folders that cannot be read, because secrets are kept there. Missing ones are ignored. */
  readonly masked: readonly string[]
  /** Folders that can be read although a masked folder contains them; never within a writable one. */
  readonly readable?: readonly string[]
  /** False where the caller looks for new repositories itself, as after each call of a tool server. */
  readonly looksAtEnd?: false
  /** Private folder that commands see as /tmp; null gives an empty one that is removed with the command. */
  readonly scratch: string | null
}

export interface SandboxedCommand {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** True when its descriptors are a terminal, which becomes the controlling one of its session. */
  readonly terminal?: boolean
}

export interface WrappedCommand extends SandboxedCommand {
  /** Descriptors 3, 4, … of the process. Opened anew by each `wrap`, closed after the spawn whatever its outcome. */
  readonly extraFds?: readonly number[]
  /** Closed by the caller of `wrap`, whatever the outcome. */
  readonly watch?: SandboxWatch
  /** True when it makes its session and takes the terminal inside of the sandbox. */
  readonly setsControllingTerminal?: boolean
}

/** Report of the sandbox on one command. */
export interface SandboxWatch {
  /** Returns the command's process group inside, when it differs from the started process's own; null while unknown. */
  innerGroup(): number | null
  /** Returns how it ended. Called after the started process has ended. */
  outcome(): SandboxOutcome
  close(): void
}

export interface SandboxOutcome {
  /** False when the sandbox could not be set up, so that nothing of the command was run. */
  readonly ran: boolean
  /** Processes that the command left behind and that ended with the sandbox. */
  readonly leftovers: number
  /** See `CommandEnd`. */
  readonly triedNetwork?: boolean
}

/** Limits of one command, prepared to be applied to it. */
export interface Sandbox {
  /** Limits in force; null without limits. An environment elsewhere enforces these itself. */
  readonly limits: SandboxLimits | null
  /** True where it is in a loopback with other commands. */
  readonly sharesLoopback?: boolean
  /** Name of that loopback where an environment elsewhere puts it there itself. */
  readonly loopback?: string
  /**
   * Returns the command with its limits. Throws when it must not be run, and never falls back to no limits. Throws
   * `SpawnFailedError` when the command itself is wrong.
   */
  wrap(command: SandboxedCommand): WrappedCommand
  /** Aborts when the command has written more temporary files than it may; the runner of the command stops it then. */
  readonly exceeded?: AbortSignal
  /**
   * Removes all that was made for the command. Called once, after its end or when it never started. Never throws.
   * Returns the fate of each guarded path that was exchanged or made meanwhile.
   */
  release?(): readonly Exchanged[]
  /** Takes the same from an environment elsewhere, which enforces the limits. */
  tell?(found: readonly Exchanged[]): void
}

/** Sandbox without limits: the command may do all that the user may. */
export const noSandbox: Sandbox = { limits: null, wrap: (command) => command }

/** Signals the command's own group inside its sandbox; returns false while it is unknown. */
export function signalInside(watch: SandboxWatch | null, signal: NodeJS.Signals): boolean {
  const group = watch?.innerGroup() ?? null
  return group !== null && signalGroup(group, signal)
}

export function outcomeOf(watch: SandboxWatch | null): SandboxOutcome | null {
  return watch?.outcome() ?? null
}

const maxChars = 300

/** Describes a sandbox that could not be set up. `output` is of the sandbox, because no command was run. */
export function sandboxFailure(output: Buffer | null): SpawnError {
  const line = output?.toString('utf8').trim().split('\n').at(-1)?.slice(0, maxChars) ?? ''
  const message = `The sandbox could not be set up${line === '' ? '' : `: ${line}`}`
  return { code: 'ENOSYS', subject: 'sandbox', message }
}

/** Share of a command's limits that this machine enforces. */
export type Enforcement = 'full' | 'partial' | 'none'

const ranks: Readonly<Record<Enforcement, number>> = { full: 0, partial: 1, none: 2 }

/** Returns true when `enforcement` enforces less than `than`. */
export function isWeaker(enforcement: Enforcement, than: Enforcement): boolean {
  return ranks[enforcement] > ranks[than]
}

export interface SandboxReport {
  readonly enforcement: Enforcement
  /** Sentence for the user: which programs enforce the limits here, or which one is missing and how to get it. */
  readonly reason: string
  /** True where commands can share a loopback. */
  readonly sharesLoopback?: boolean
}

/**
 * Network that leads nowhere but to the commands in it. No process holds it: it lives in two descriptors of this one and
 * in the commands, so it ends with them.
 */
export interface Loopback {
  /** Name of the loopback in an environment elsewhere; left out on this machine. */
  readonly name?: string
  /** Returns the words before a command that is to start in it. Throws when it is closed. */
  entrance(): readonly string[]
  /** Connects to a server in it, by either version of the protocol. Rejects without such a server. */
  connect(port: number): Promise<Duplex>
  close(): void
}

/** Machine of the commands, as each way to enforce limits needs it: its guarded paths, notes and reports. */
export interface GuardedHost extends GuardSurroundings {
  /** Folder of this user alone for notes about reserved names; absent without notes. */
  readonly stateFolder?: string
  /** Called with the sentences of what `Sandbox.release` returns. */
  readonly onExchanged?: (sentences: readonly string[]) => void
}

/** Means of one machine to enforce limits. */
export interface Sandboxes {
  /** Reports what enforces limits, found by trying once; later reports can only be worse. Never rejects. */
  report(): Promise<SandboxReport>
  /** Tries again after a sandbox could not be started. Never better than the report before. */
  recheck(): Promise<SandboxReport>
  /**
   * Prepares limits from the files as they are now, right before the start. Rejects with a sentence where they cannot
   * be enforced; the command is then not run.
   */
  prepare(limits: SandboxLimits, loopback?: Loopback | null): Promise<Sandbox>
  /**
   * Makes a loopback for commands to share, until it is closed. Null where this fails. Never rejects. `name` separates
   * the loopbacks of one conversation where an environment elsewhere makes them.
   */
  openLoopback(name: string): Promise<Loopback | null>
  /**
   * Returns all loopbacks of a conversation as one, where an environment elsewhere keeps them, whichever server made
   * them.
   */
  readonly loopbackElsewhere?: (name: string) => Loopback
}

/** Returns the answer of a machine where nothing enforces limits. */
export function noSandboxes(reason: string): Sandboxes {
  const report = () => Promise.resolve({ enforcement: 'none', reason } as const)
  return {
    report,
    recheck: report,
    prepare: () => Promise.reject(new Error(reason)),
    openLoopback: () => Promise.resolve(null),
  }
}
