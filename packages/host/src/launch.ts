import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { CommandSpec } from './command.ts'
import { markVariable } from './mark.ts'
import type { Sandbox, WrappedCommand } from './sandbox/sandbox.ts'
import { SpawnProblem } from './spawn-failure.ts'

/**
 * Starts the process in a session of its own, stdin /dev/null, both outputs on `writeFd`. Throws, or the child emits 'error': Node does
 * either. From the main thread only: a sandbox that dies with its parent dies with the thread.
 */
export function launch(spec: CommandSpec, sandbox: Sandbox, writeFd: number): ChildProcess {
  const wrapped = wrap(spec, sandbox)
  const extraFds = wrapped.extraFds ?? []
  try {
    const [program, ...args] = wrapped.argv
    if (program === undefined) throw new SpawnProblem('EINVAL', 'arguments', 'No program is named')
    return spawn(program, args, {
      cwd: wrapped.cwd,
      env: wrapped.env,
      detached: true,
      stdio: ['ignore', writeFd, writeFd, ...extraFds],
    })
  } finally {
    for (const fd of extraFds) closeSync(fd)
  }
}

function wrap(spec: CommandSpec, sandbox: Sandbox): WrappedCommand {
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
