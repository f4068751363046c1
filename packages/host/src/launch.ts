import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { type DescriptorShield, shielded } from './descriptor-shield.ts'
import { markVariable } from './mark.ts'
import type { Sandbox, WrappedCommand } from './sandbox/sandbox.ts'
import { SpawnProblem } from './spawn-failure.ts'

export interface LaunchSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly mark: string
  /** What the program is told as its own name. */
  readonly arg0?: string
}

/** Descriptors 0, 1 and 2 of the process; null is /dev/null. */
export type StandardFds = readonly [number | null, number, number]

export interface LaunchOptions {
  readonly sandbox: Sandbox
  readonly fds: StandardFds
  readonly shield: DescriptorShield
  /** Programs that run the command in their place, outside of the sandbox. */
  readonly prefix?: readonly string[]
  /** False when the prefix makes the session. */
  readonly ownSession?: boolean
}

/**
 * Starts the process in a session of its own. Throws, or the child emits 'error': Node does either. From the main
 * thread only: a sandbox that dies with its parent dies with the thread.
 */
export function launch(spec: LaunchSpec, options: LaunchOptions): ChildProcess {
  const { sandbox, fds, shield, prefix = [], ownSession = true } = options
  const wrapped = wrap(spec, sandbox)
  const extraFds = wrapped.extraFds ?? []
  try {
    const [program, ...args] = [...prefix, ...wrapped.argv]
    if (program === undefined || wrapped.argv.length === 0)
      throw new SpawnProblem('EINVAL', 'arguments', 'No program is named')
    return spawn(program, args, {
      cwd: wrapped.cwd,
      env: wrapped.env,
      detached: ownSession,
      stdio: shielded([...fds, ...extraFds], shield),
      ...(spec.arg0 === undefined ? {} : { argv0: spec.arg0 }),
    })
  } finally {
    for (const fd of extraFds) closeSync(fd)
  }
}

function wrap(spec: LaunchSpec, sandbox: Sandbox): WrappedCommand {
  const command = { argv: spec.argv, cwd: spec.cwd, env: { ...spec.env, [markVariable]: spec.mark } }
  try {
    return sandbox.wrap(command)
  } catch (cause) {
    throw new SpawnProblem('ENOSYS', 'sandbox', `The sandbox cannot be set up: ${describe(cause)}`, { cause })
  }
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
