import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync } from 'node:fs'
import type { Sandbox, SandboxWatch, WrappedCommand } from '../sandbox/sandbox.ts'
import { type DescriptorShield, shielded } from '../system/descriptor-shield.ts'
import { markVariable } from '../system/marks.ts'
import { SpawnProblem } from '../system/spawn-failure.ts'

interface LaunchSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly mark: string
  /** What the program is told as its own name. */
  readonly arg0?: string
}

/** Descriptors 0, 1 and 2 of the process; null is /dev/null, `pipe` one that Node makes. */
export type StandardFds = readonly [number | null | 'pipe', number | 'pipe', number | 'pipe']

interface LaunchOptions {
  readonly sandbox: Sandbox
  readonly fds: StandardFds
  readonly shield: DescriptorShield
  /** The descriptors are a terminal. */
  readonly terminal?: TerminalTaking
}

/** How the process makes the terminal its session's. */
export interface TerminalTaking {
  /** Programs that do it and then become the command, outside of the sandbox. */
  readonly prefix: readonly string[]
  /** False when the prefix makes the session. */
  readonly ownSession: boolean
}

export interface Launched {
  readonly child: ChildProcess
  /** To be closed by the caller. */
  readonly watch: SandboxWatch | null
}

/**
 * Starts the process in a session of its own. Throws, or the child emits 'error': Node does either. From the main
 * thread only: a sandbox that dies with its parent dies with the thread.
 */
export function launch(spec: LaunchSpec, { sandbox, fds, shield, terminal }: LaunchOptions): Launched {
  const { arg0 } = spec
  // The name of what is started is the command's only where nothing stands before it.
  const isDirect = sandbox.limits === null && terminal === undefined
  const argv = arg0 === undefined || isDirect ? spec.argv : [...runAs(arg0), ...spec.argv]
  const wrapped = wrap({ ...spec, argv }, sandbox, terminal !== undefined)
  const { extraFds = [], watch = null } = wrapped
  const taking = wrapped.takesTerminal === true ? undefined : terminal
  try {
    const [program, ...args] = [...(taking?.prefix ?? []), ...wrapped.argv]
    if (program === undefined || wrapped.argv.length === 0)
      throw new SpawnProblem('EINVAL', 'arguments', 'No program is named')
    const child = spawn(program, args, {
      cwd: wrapped.cwd,
      env: wrapped.env,
      detached: taking?.ownSession ?? true,
      stdio: shielded([...fds, ...extraFds], shield),
      ...(arg0 === undefined || !isDirect ? {} : { argv0: arg0 }),
    })
    return { child, watch }
  } catch (error) {
    watch?.close()
    throw error
  } finally {
    for (const fd of extraFds) closeSync(fd)
  }
}

function wrap(spec: LaunchSpec, sandbox: Sandbox, terminal: boolean): WrappedCommand {
  const env = { ...spec.env, [markVariable]: spec.mark }
  const command = { argv: spec.argv, cwd: spec.cwd, env, ...(terminal ? { terminal } : {}) }
  try {
    return sandbox.wrap(command)
  } catch (cause) {
    if (cause instanceof SpawnProblem) throw cause
    throw new SpawnProblem('ENOSYS', 'sandbox', `The sandbox cannot be set up: ${describe(cause)}`, { cause })
  }
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Programs before a command that give it another name for itself. */
function runAs(arg0: string): string[] {
  if (existsSync('/bin/bash')) return ['/bin/bash', '-c', 'exec -a "$0" -- "$@"', arg0]
  throw new SpawnProblem('ENOSYS', 'system', 'arg0 with a terminal or in a sandbox needs /bin/bash, which is not there')
}
