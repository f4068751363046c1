import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, existsSync, fstatSync, openSync } from 'node:fs'
import { errorMessage } from '@parley/text'
import type { Channels, ControllingTerminal, StandardFds } from '../channels/channels.ts'
import type { TerminalOptions } from '../channels/terminal-channels.ts'
import type { Sandbox, SandboxWatch, WrappedCommand } from '../sandbox/sandbox.ts'
import { type DescriptorShield, shieldedStdio } from '../system/descriptor-shield.ts'
import { markVariable } from '../system/marks.ts'
import { identityOfStat } from '../system/real-path.ts'
import { assertStartable, SpawnFailedError, type StartAttempt } from '../system/spawn-failure.ts'

export interface LaunchSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  /** Identity (`identityOf`) that the folder must still have. */
  readonly cwdIdentity?: string
  readonly env: Readonly<Record<string, string>>
  readonly mark: string
  /** `argv[0]` for the program, when it differs from its path. */
  readonly arg0?: string
}

interface LaunchOptions {
  readonly sandbox: Sandbox
  readonly fds: StandardFds
  readonly shield: DescriptorShield
  /** Present when the descriptors are a terminal. */
  readonly terminal?: ControllingTerminal
}

/**
 * Starts the process in a session of its own. Throws, or the child emits 'error': Node does either. Main thread only: a
 * sandbox that dies with its parent dies with the thread. The caller closes `watch`.
 */
export function launch(
  spec: LaunchSpec,
  { sandbox, fds, shield, terminal }: LaunchOptions,
): { readonly child: ChildProcess; readonly watch: SandboxWatch | null } {
  const { arg0 } = spec
  // Node's `argv0` reaches the command only when no other program stands before it.
  const isDirect = sandbox.limits === null && terminal === undefined
  const argv = arg0 === undefined || isDirect ? spec.argv : [...withArg0(arg0), ...spec.argv]
  const wrapped = wrap({ ...spec, argv }, sandbox, terminal !== undefined)
  const { extraFds = [], watch = null } = wrapped
  const outside = wrapped.setsControllingTerminal === true ? undefined : terminal
  let folder: number | null = null
  try {
    folder = openPinned(spec)
    const [program, ...args] = [...(outside?.prefix ?? []), ...wrapped.argv]
    if (program === undefined || wrapped.argv.length === 0)
      throw new SpawnFailedError('EINVAL', 'arguments', 'No program is named')
    const child = spawn(program, args, {
      // Without a sandbox the process starts in the folder that was compared, whatever takes its name meanwhile.
      cwd: folder !== null && wrapped.cwd === spec.cwd ? `/proc/self/fd/${folder}` : wrapped.cwd,
      env: wrapped.env,
      detached: outside?.ownSession ?? true,
      stdio: shieldedStdio([...fds, ...extraFds], shield),
      ...(arg0 === undefined || !isDirect ? {} : { argv0: arg0 }),
    })
    return { child, watch }
  } catch (error) {
    watch?.close()
    throw error
  } finally {
    for (const fd of extraFds) closeSync(fd)
    if (folder !== null) closeSync(folder)
  }
}

/** Opens the working folder and compares it. Null without an identity to compare, and where descriptors have no names. */
function openPinned({ cwd, cwdIdentity }: LaunchSpec): number | null {
  if (cwdIdentity === undefined || process.platform !== 'linux') return null
  const fd = openSync(cwd, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  if (identityOfStat(fstatSync(fd, { bigint: true })) === cwdIdentity) return fd
  closeSync(fd)
  throw new SpawnFailedError(
    'ESTALE',
    'cwd',
    `The directory ${cwd} is not the one that was asked about: it was exchanged`,
  )
}

function wrap(spec: LaunchSpec, sandbox: Sandbox, terminal: boolean): WrappedCommand {
  const env = { ...spec.env, [markVariable]: spec.mark }
  const command = { argv: spec.argv, cwd: spec.cwd, env, ...(terminal ? { terminal } : {}) }
  try {
    return sandbox.wrap(command)
  } catch (cause) {
    if (cause instanceof SpawnFailedError) throw cause
    throw new SpawnFailedError('ENOSYS', 'sandbox', `The sandbox cannot be set up: ${errorMessage(cause)}`, { cause })
  }
}

/** Returns programs that start the command after them with another `argv[0]`. Throws `SpawnFailedError` without bash. */
function withArg0(arg0: string): string[] {
  if (existsSync('/bin/bash')) return ['/bin/bash', '-c', 'exec -a "$0" -- "$@"', arg0]
  throw new SpawnFailedError(
    'ENOSYS',
    'system',
    'arg0 with a terminal or in a sandbox needs /bin/bash, which is not there',
  )
}

/** Opens a terminal for a program. Rejects with `SpawnFailedError` without a terminal or without the program. */
export async function openTerminal(
  spec: StartAttempt,
  { sandbox, ...options }: TerminalOptions & { readonly sandbox: Sandbox },
): Promise<Channels> {
  if (sandbox.limits === null) assertStartable(spec)
  const { openTerminalChannels } = await import('../channels/terminal-channels.ts')
  return openTerminalChannels(options)
}
