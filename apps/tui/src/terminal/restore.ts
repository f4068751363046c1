import { enterSequence, leaveSequence } from './modes.ts'
import type { TerminalPort, TerminationSignal } from './port.ts'

/** The terminal while it is ours. */
export interface HeldTerminal extends Disposable {
  /** Gives the terminal back as it was found: on leaving, before suspending, for an editor. Does nothing twice. */
  readonly leave: () => void
  /** Takes it again after `leave`. */
  readonly enter: () => void
}

/** As a shell reports a process that died of the signal. */
const exitCodes: Readonly<Record<TerminationSignal, number>> = { SIGHUP: 129, SIGQUIT: 131, SIGTERM: 143 }

const signals: readonly TerminationSignal[] = ['SIGHUP', 'SIGQUIT', 'SIGTERM']

/**
 * Switches the modes on and makes sure that they are switched off exactly once: by hand, at exit, at an uncaught error
 * and at the signals that end the process. SIGINT is the program's to answer.
 */
export function holdTerminal(port: TerminalPort): HeldTerminal {
  let held = false
  const enter = () => {
    if (held) return
    held = true
    port.write(enterSequence())
  }
  const leave = () => {
    if (!held) return
    held = false
    port.write(leaveSequence())
  }
  const stops = [
    port.onExit(leave),
    port.onUncaughtError(leave),
    ...signals.map((signal) =>
      port.onSignal(signal, () => {
        leave()
        port.exit(exitCodes[signal])
      }),
    ),
  ]
  enter()
  return {
    enter,
    leave,
    [Symbol.dispose]: () => {
      leave()
      for (const stop of stops) stop()
    },
  }
}
