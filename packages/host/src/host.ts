import type { CommandSpec, RunningCommand, StartOptions } from './command.ts'
import { CommandRun } from './command-run.ts'
import { createFifoPool } from './fifo-pool.ts'
import { createGuard } from './guard.ts'
import { type ProgramSpec, type RunningProgram, startProgram } from './program.ts'

export interface Host extends AsyncDisposable {
  /** Optional, any time before the first command: makes what it will need. Rejects if that fails; the command will then say so itself. */
  warmUp(): Promise<void>
  /** Main thread only. Every failure is in the `CommandEnd`. */
  startCommand(spec: CommandSpec, options: StartOptions): RunningCommand
  /** A program that stays and is talked with; ended by `close` at the latest. */
  startProgram(spec: ProgramSpec): RunningProgram
  /** Null while no command has run. Should this process be killed, that one ends its commands. */
  guardPid(): number | null
  /** Shuts down what runs and waits for it. A command started from then on ends at once as `shutdown`. */
  close(): Promise<void>
}

/** Runs the commands of one server. Holds a few open FIFOs and one guard process; neither keeps this process alive. */
export function openHost(): Host {
  const fifos = createFifoPool()
  const guard = createGuard()
  const running = new Set<CommandRun>()
  const programs = new Set<RunningProgram>()
  let closed = false
  const close = async () => {
    closed = true
    for (const run of running) run.stop('shutdown')
    await Promise.all([...[...running].map((run) => run.ended), ...[...programs].map((program) => program.stop(0))])
    fifos.close()
    await guard.close()
  }
  return {
    warmUp() {
      guard.start()
      return fifos.fill()
    },
    startCommand(spec, options) {
      const run = new CommandRun(spec, options, { fifos, guard })
      running.add(run)
      void run.ended.then(() => running.delete(run))
      if (closed) run.stop('shutdown')
      else run.begin()
      return run
    },
    startProgram(spec) {
      const program = startProgram(spec, guard)
      programs.add(program)
      void program.ended.then(() => programs.delete(program))
      if (closed) void program.stop(0)
      return program
    },
    guardPid: () => guard.pid(),
    close,
    [Symbol.asyncDispose]: close,
  }
}
