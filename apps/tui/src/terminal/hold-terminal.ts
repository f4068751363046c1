import type { Writable } from 'node:stream'
import { exitCodes } from '../cli/exit-codes.ts'
import { startProgram } from '../processes/start-program.ts'
import type { TerminalPort, TerminationSignal } from './port.ts'

/** A terminal with modes that this program has switched on. */
interface HeldTerminal extends Disposable {
  /** Restores the terminal: at exit, before suspending, for an editor. Repeated calls do nothing. */
  readonly leave: () => void
  /** Switches the modes on again after `leave`. */
  readonly enter: () => void
  /** Goes to the alternate screen, or back from it; `leave` goes back too, and `enter` returns to it. */
  readonly setAlternate: (isUsed: boolean) => void
  /** Switches on the kitty keyboard protocol, after the terminal has reported that it knows it. */
  readonly enableKittyKeys: () => void
}

/** Exit codes as a shell reports a process killed by the signal. */
const signalExitCodes: Readonly<Record<TerminationSignal, number>> = {
  SIGHUP: 129,
  SIGQUIT: 131,
  SIGTERM: exitCodes.sigterm,
}

const signals: readonly TerminationSignal[] = ['SIGHUP', 'SIGQUIT', 'SIGTERM']

/**
 * Switches the modes on, and off exactly once: on `leave`, at exit, at an uncaught error and at the signals that end the
 * process. SIGINT is left to the program.
 */
export function holdTerminal(port: TerminalPort): HeldTerminal {
  let held = false
  let isAlternate = false
  let hasKittyKeys = false
  /** Adds the keyboard protocol, which terminals keep for each screen by itself. */
  const known = (modes: readonly TerminalMode[]) => (hasKittyKeys ? [...modes, kittyKeys] : modes)
  const enter = () => {
    if (held) return
    held = true
    const main = enterSequence(known(terminalModes)) + (hasKittyKeys ? '' : kittyQuestion)
    port.write(main + (isAlternate ? enterSequence(known(alternateModes)) : ''))
  }
  const leave = () => {
    if (!held) return
    held = false
    port.write((isAlternate ? leaveSequence(known(alternateModes)) : '') + leaveSequence(known(terminalModes)))
  }
  const stops = [
    port.onExit(leave),
    port.onUncaughtError(leave),
    ...signals.map((signal) =>
      port.onSignal(signal, () => {
        leave()
        port.exit(signalExitCodes[signal])
      }),
    ),
  ]
  enter()
  return {
    enter,
    leave,
    setAlternate(isUsed) {
      if (isUsed === isAlternate) return
      isAlternate = isUsed
      if (held) port.write(isUsed ? enterSequence(known(alternateModes)) : leaveSequence(known(alternateModes)))
    },
    enableKittyKeys() {
      if (hasKittyKeys) return
      hasKittyKeys = true
      if (held) port.write(kittyKeys.enter)
    },
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
 * Terminal modes to undo at exit, in the order of entering. Raw mode is set by Node. Mouse reports stay off, so that text
 * can be selected. Terminals ignore unknown modes.
 */
export const terminalModes: readonly TerminalMode[] = [
  // Terminals without a stack of titles are left without one.
  { name: 'window title', enter: '\x1b[22;2t', leave: '\x1b]2;\x07\x1b[23;2t' },
  { name: 'bracketed paste', enter: '\x1b[?2004h', leave: '\x1b[?2004l' },
  { name: 'modifyOtherKeys', enter: '\x1b[>4;2m', leave: '\x1b[>4;0m' },
]

/**
 * Kitty keyboard protocol, flags 1 (unambiguous keys) and 4 (place on a US keyboard). Written once the terminal has
 * answered: some misread it and move the cursor.
 */
export const kittyKeys: TerminalMode = { name: 'kitty keyboard', enter: '\x1b[>5u', leave: '\x1b[<u' }

/** Asks for the keyboard protocol; the answer comes with the keys, from a terminal that knows it. */
export const kittyQuestion = '\x1b[?u'

export const alternateModes: readonly TerminalMode[] = [
  { name: 'alternate screen', enter: '\x1b[?1049h\x1b[2J', leave: '\x1b[?1049l' },
]

/** Ends a frame that was cut short: synchronised output, a link, colours, a hidden cursor. */
const unfinishedFrame = '\x1b[?2026l\x1b[?7h\x1b]8;;\x1b\\\x1b[0m\x1b[?25h'

export function enterSequence(modes: readonly TerminalMode[] = terminalModes): string {
  return modes.map((mode) => mode.enter).join('')
}

/** Returns the sequence that undoes the modes, the last one first. */
export function leaveSequence(modes: readonly TerminalMode[] = terminalModes): string {
  return (
    unfinishedFrame +
    modes
      .toReversed()
      .map((mode) => mode.leave)
      .join('')
  )
}

/** Shell that restores the terminal if this process is killed. */
interface KillGuard extends Disposable {
  /** Notes that the terminal shows the alternate screen, or no longer does. */
  readonly setAlternate: (isUsed: boolean) => void
}

/**
 * Starts a shell that restores the terminal and erases the screen below the caret when its stdin ends without `bye`.
 * Keys cannot end it, because it has a session of its own.
 */
export function guardAgainstKill(): KillGuard {
  const script = `first=; while IFS= read -r word; do case $word in bye) exit 0;; alternate) first=$2;; main) first=;; esac; done
stty sane <&1; printf '%s%s\\r\\n\\033[J' "$first" "$1"`
  const args = [leaveSequence([...terminalModes, kittyKeys]), leaveSequence(alternateModes)]
  const input = inputOfShell(['-c', script, 'parley-guard', ...args])
  // The guard has ended after a broken pipe.
  input?.on('error', () => undefined)
  return {
    setAlternate: (isUsed) => void input?.write(isUsed ? 'alternate\n' : 'main\n'),
    [Symbol.dispose]: () => void input?.end('bye\n'),
  }
}

/** Starts a shell that this process does not wait for, and returns its stdin; null or undefined if the system cannot start it. */
function inputOfShell(args: readonly string[]): Writable | null | undefined {
  const argv = ['/bin/sh', ...args]
  const shell = startProgram(argv, { stdio: ['pipe', 'inherit', 'ignore'], detached: true }, () => undefined)
  shell?.unref()
  return shell?.stdin
}
