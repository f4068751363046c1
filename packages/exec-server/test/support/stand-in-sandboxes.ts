import type { Loopback, SandboxedCommand, Sandboxes, SandboxLimits, SandboxReport, WrappedCommand } from '@parley/host'

export interface StandInSandboxes extends Sandboxes {
  /** Limits of all prepared sandboxes, in order. */
  readonly prepared: SandboxLimits[]
  /** Loopbacks of all prepared sandboxes, in the same order. */
  readonly loopbacks: (Loopback | null)[]
  /** Number of loopbacks that were closed. */
  closedLoopbacks: number
  released: number
  rechecks: number
}

export interface StandInOptions {
  readonly enforcement?: SandboxReport['enforcement']
  /** Error of every preparation. */
  readonly refusal?: string
  /** Instead of marking the command as confined. */
  readonly wrap?: (command: SandboxedCommand) => WrappedCommand
  /** Preparing waits for it. */
  readonly gate?: Promise<unknown>
  /** Connects to a port in the loopback that was opened as the so-manyth, from 0; default: none listens. */
  readonly connect?: (loopback: number, port: number) => ReturnType<Loopback['connect']>
}

/** Enforces nothing: a command finds `CONFINED` in its environment. For what is decided around a sandbox. */
export function standInSandboxes(options: StandInOptions = {}): StandInSandboxes {
  const { enforcement = 'full', refusal, gate, wrap = marked, connect = nobodyListens } = options
  let opened = 0
  let worse: SandboxReport | null = null
  const shares = options.connect === undefined ? {} : { sharesLoopback: true }
  const found: StandInSandboxes = {
    prepared: [],
    loopbacks: [],
    closedLoopbacks: 0,
    released: 0,
    rechecks: 0,
    report: () => Promise.resolve(worse ?? { enforcement, reason: `It is ${enforcement}.`, ...shares }),
    recheck() {
      found.rechecks += 1
      worse = { enforcement: 'none', reason: 'It broke.' }
      return found.report()
    },
    async prepare(limits, loopback = null) {
      await gate
      if (refusal !== undefined) throw new Error(refusal)
      found.prepared.push(limits)
      found.loopbacks.push(loopback)
      const release = () => {
        found.released += 1
        return []
      }
      return { limits, wrap, release }
    },
    openLoopback() {
      const close = () => {
        found.closedLoopbacks += 1
      }
      const number = opened
      opened += 1
      return Promise.resolve({ entrance: () => [], connect: (port) => connect(number, port), close })
    },
  }
  return found
}

const nobodyListens = () => Promise.reject(new Error('nobody listens'))

/** Tells at the command's end how it fared. */
export function ending(outcome: SandboxOutcome, argv: readonly string[]) {
  return (command: SandboxedCommand): WrappedCommand => ({
    ...command,
    argv,
    watch: { innerGroup: () => null, outcome: () => outcome, close: () => undefined },
  })
}

type SandboxOutcome = ReturnType<NonNullable<WrappedCommand['watch']>['outcome']>

function marked(command: SandboxedCommand): SandboxedCommand {
  return { ...command, argv: ['/usr/bin/env', 'CONFINED=yes', ...command.argv] }
}
