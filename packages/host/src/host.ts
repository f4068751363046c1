import { createFifoPool, createInputFifoPool } from './channels/fifo-pool.ts'
import type { CommandSpec, RunningCommand, StartOptions } from './run/command.ts'
import { createGuard } from './run/crash-guard.ts'
import type { ProcessOptions, ProcessSpec, RunningProcess } from './run/process.ts'
import { CommandRun } from './run/run-command.ts'
import { ProcessRun } from './run/spawn-process.ts'
import { type ProgramSpec, type RunningProgram, startProgram } from './run/spawn-streams.ts'
import { createDescriptorShield } from './system/descriptor-shield.ts'

export interface Host extends AsyncDisposable {
  /** Optional, any time before the first command: makes what it will need. Rejects if that fails; the command will then say so itself. */
  warmUp(): Promise<void>
  /** Main thread only. Every failure is in the `CommandEnd`. */
  startCommand(spec: CommandSpec, options: StartOptions): RunningCommand
  /** A program that stays and is talked with; ended by `close` at the latest. */
  startProgram(spec: ProgramSpec): RunningProgram
  /** One whose owner sees its output as it comes. Killed with its tree by `close` at the latest. Main thread only. */
  startProcess(spec: ProcessSpec, options: ProcessOptions): RunningProcess
  /** Null while no command has run. Should this process be killed, that one ends its commands. */
  guardPid(): number | null
  /** Shuts down what runs and waits for it. A command started from then on ends at once as `shutdown`. */
  close(): Promise<void>
}

/** Runs the commands of one server. Holds a few open FIFOs and one guard process; neither keeps this process alive. */
export function openHost(): Host {
  const fifos = createFifoPool()
  const inputFifos = createInputFifoPool()
  const guard = createGuard()
  const shield = createDescriptorShield()
  const machinery = { fifos, inputFifos, guard, shield }
  const running = new Set<CommandRun>()
  const programs = new Set<RunningProgram>()
  const processes = new Set<RunningProcess>()
  let closed = false
  const close = async () => {
    closed = true
    for (const run of running) run.stop('shutdown')
    for (const process of processes) {
      process.resume()
      process.kill()
    }
    await Promise.all([
      ...[...running].map((run) => run.ended),
      ...[...programs].map((program) => program.stop(0)),
      ...[...processes].map((process) => process.closed),
    ])
    fifos.close()
    inputFifos.close()
    shield.close()
    await guard.close()
  }
  return {
    warmUp() {
      guard.start()
      return fifos.fill()
    },
    startCommand(spec, options) {
      const run = new CommandRun(spec, options, machinery)
      running.add(run)
      void run.ended.then(() => running.delete(run))
      if (closed) run.stop('shutdown')
      else run.begin()
      return run
    },
    startProgram(spec) {
      const program = startProgram(spec, machinery)
      programs.add(program)
      void program.ended.then(() => programs.delete(program))
      if (closed) void program.stop(0)
      return program
    },
    startProcess(spec, options) {
      const run = new ProcessRun(spec, options, machinery)
      processes.add(run)
      void run.closed.then(() => processes.delete(run))
      if (closed) run.kill()
      void run.begin()
      return run
    },
    guardPid: () => guard.pid(),
    close,
    [Symbol.asyncDispose]: close,
  }
}
