import { spawn } from 'node:child_process'
import type { TerminalPort, TerminationSignal } from './port.ts'

/** The terminal while it is ours. */
interface HeldTerminal extends Disposable {
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

/** A terminal mode that is switched on while the program has the terminal. */
interface TerminalMode {
  readonly name: string
  readonly enter: string
  readonly leave: string
}

/**
 * Everything that must be undone, in the order of entering. Raw mode is Node's. The mouse stays with the terminal, so
 * that text can be selected. Terminals ignore what they do not know.
 */
export const terminalModes: readonly TerminalMode[] = [
  { name: 'window title', enter: '\x1b[22;2t', leave: '\x1b[23;2t' },
  { name: 'bracketed paste', enter: '\x1b[?2004h', leave: '\x1b[?2004l' },
  { name: 'modifyOtherKeys', enter: '\x1b[>4;2m', leave: '\x1b[>4;0m' },
  // 5: tell apart what legacy codes mix up (1), with the key's place on a US keyboard (4).
  { name: 'kitty keyboard', enter: '\x1b[>5u', leave: '\x1b[<u' },
]

/** What a frame that was cut short may have left: synchronised output, a link, colours, a hidden cursor. */
const unfinishedFrame = '\x1b[?2026l\x1b]8;;\x1b\\\x1b[0m\x1b[?25h'

export function enterSequence(modes: readonly TerminalMode[] = terminalModes): string {
  return modes.map((mode) => mode.enter).join('')
}

/** Undoes the modes, the last first. */
export function leaveSequence(modes: readonly TerminalMode[] = terminalModes): string {
  return (
    unfinishedFrame +
    modes
      .toReversed()
      .map((mode) => mode.leave)
      .join('')
  )
}

/**
 * Gives the terminal back when this process is killed and cannot: a small shell that waits for our word at its stdin.
 * If the pipe ends without one, it resets the terminal's modes. It runs in a session of its own, so that no key ends it.
 */
export function guardAgainstKill(): Disposable {
  const script = `IFS= read -r word; [ "$word" = bye ] || { stty sane <&1; printf '%s\\r\\n' "$1"; }`
  const guard = spawn('/bin/sh', ['-c', script, 'parley-guard', leaveSequence()], {
    stdio: ['pipe', 'inherit', 'ignore'],
    detached: true,
  })
  // Without a shell there is no guard, and a pipe that broke has no reader to tell.
  guard.on('error', () => undefined)
  guard.stdin.on('error', () => undefined)
  guard.unref()
  return { [Symbol.dispose]: () => void guard.stdin.end('bye\n') }
}
