import { writeSync } from 'node:fs'
import { errorCode } from '@parley/text'
import { exitCodes } from '../cli/exit-codes.ts'
import type { ColourChoice } from '../cli/flags.ts'
import type { EnvVariables } from '../cli/folders.ts'
import type { Reflow } from '../view/erase-zone.ts'
import type { ColourDepth } from '../view/text/theme.ts'

export type TerminationSignal = 'SIGHUP' | 'SIGQUIT' | 'SIGTERM'

type Stop = () => void

/** Functions of the process that are needed to hold a terminal. Each `on…` returns the function that removes the listener. */
export interface TerminalPort {
  /** Writes synchronously: at exit no asynchronous work runs. */
  readonly write: (text: string) => void
  readonly onExit: (listener: () => void) => Stop
  readonly onUncaughtError: (listener: () => void) => Stop
  readonly onSignal: (signal: TerminationSignal, listener: () => void) => Stop
  readonly exit: (code: number) => void
}

/** Most attempts to write to a full terminal buffer (EAGAIN on a non-blocking tty). */
const maxTries = 1_000

export function processTerminal(fd: number): TerminalPort {
  return {
    write: (text) => writeAll(fd, Buffer.from(text)),
    onExit: (listener) => {
      process.on('exit', listener)
      return () => process.off('exit', listener)
    },
    // The monitor event keeps Node's own report and exit code.
    onUncaughtError: (listener) => {
      process.on('uncaughtExceptionMonitor', listener)
      return () => process.off('uncaughtExceptionMonitor', listener)
    },
    onSignal: (signal, listener) => {
      process.on(signal, listener)
      return () => process.off(signal, listener)
    },
    exit: (code) => process.exit(code),
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  let offset = 0
  for (let tries = 0; offset < bytes.length && tries < maxTries; tries++) {
    try {
      offset += writeSync(fd, bytes, offset)
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') return
    }
  }
}

/** Error codes of a closed terminal, which has no mode to set or restore. */
const isGone: ReadonlySet<string> = new Set(['EIO', 'EBADF', 'ENOTTY', 'ENXIO'])

/** Sets raw mode. Does nothing on a closed terminal, which is noticed by the end of its input. */
export function setRawMode(stdin: Pick<NodeJS.ReadStream, 'setRawMode'>, isRaw: boolean): void {
  try {
    stdin.setRawMode(isRaw)
  } catch (error) {
    if (!isGone.has(errorCode(error) ?? '')) throw error
  }
}

/** Returns true if stdin and stdout are terminals. */
export function hasTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/** Writes that a terminal is needed. Returns the exit code. */
export function sayNoTerminal(): number {
  process.stderr.write('parley needs a terminal. In a script use: parley exec "…"\n')
  return exitCodes.usage
}

/**
 * Returns how the terminal treats long rows when it gets narrower. Most wrap them again; xterm, the Linux console and
 * GNU screen cut them off. Decided from variables, because the answer to a query arrives after the rows have moved.
 */
export function reflowOf(env: EnvVariables): Reflow {
  if (env['TMUX'] !== undefined) return 'wrap'
  if (env['XTERM_VERSION'] !== undefined || env['STY'] !== undefined || env['TERM'] === 'linux') return 'cut'
  return xtermJsPrograms.test(env['TERM_PROGRAM'] ?? '') ? 'shift' : 'wrap'
}

const xtermJsPrograms = /^(?:vscode|Hyper|Tabby)$/

/** Returns false for the Linux console, GNU screen, VTs and unnamed terminals: they put no brackets around pastes. */
export function bracketsPastes(env: EnvVariables): boolean {
  // Some terminals that can, such as tmux, do not answer a query.
  if (env['TMUX'] !== undefined) return true
  return env['STY'] === undefined && !isBasic(env) && !/^screen\b/.test(env['TERM'] ?? '')
}

/** Returns true for the Linux console, the VT family and terminals without a name, which print sequences they do not know. */
export function isBasic(env: EnvVariables): boolean {
  return /^$|^(?:linux|dumb|unknown|cons25|vt\d+)\b/.test(env['TERM'] ?? '')
}

/** Wraps a sequence for the terminal around tmux, which tmux passes on if the user allows it. */
export function throughTmux(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`
}

const trueColourPrograms = /^(?:iTerm\.app|WezTerm|vscode|ghostty|rio|Hyper|Tabby|zed)$/
const trueColourTerms = /kitty|ghostty|alacritty|wezterm|foot|direct/

/** Returns the colours that FORCE_COLOR asks for, which counts more than NO_COLOR; null where it is not set. */
export function forcedDepth(env: EnvVariables): ColourDepth | null {
  const forced = env['FORCE_COLOR']
  if (forced === undefined) return null
  if (forced === '0' || forced === 'false') return 'none'
  return forced === '3' ? 'true' : 'sixteen'
}

/** Returns the variables with the colours that a flag asks for. */
export function withColour(env: EnvVariables, when: ColourChoice | undefined): EnvVariables {
  if (when === undefined || when === 'auto') return env
  return { ...env, FORCE_COLOR: when === 'never' ? '0' : (env['FORCE_COLOR'] ?? '1').replace(/^(?:0|false)$/, '1') }
}

/** Returns the colours that the terminal shows, from its variables; there is no common query. */
export function colourDepth(env: EnvVariables): ColourDepth {
  const forced = forcedDepth(env)
  if (forced !== null) return forced
  if ((env['NO_COLOR'] ?? '') !== '') return 'none'
  if (/^(?:truecolor|24bit)$/.test(env['COLORTERM'] ?? '')) return 'true'
  const isKnown = trueColourTerms.test(env['TERM'] ?? '') || trueColourPrograms.test(env['TERM_PROGRAM'] ?? '')
  return isKnown || env['WT_SESSION'] !== undefined ? 'true' : 'sixteen'
}

/**
 * Reads the terminal's size now; the stream emits `resize` before this returns if it changed. SIGWINCH may arrive some
 * milliseconds late, and rows written meanwhile would break. Uses Node's private handler of that signal, where it exists.
 */
export function measure(stdout: NodeJS.WriteStream): void {
  const refresh: unknown = Reflect.get(stdout, '_refreshSize')
  if (typeof refresh === 'function') refresh.call(stdout)
}
