import { type IPty, spawn } from '@lydell/node-pty'
import {
  cleanEnvironment,
  descendantsWithMark,
  type EnvVariables,
  killMarked,
  markVariable,
  newMark,
} from './processes.ts'
import { type ScreenSize, type VirtualScreen, virtualScreen } from './virtual-screen.ts'
import { waitUntil } from './wait-until.ts'

export type PtyOptions = Partial<ScreenSize> & {
  readonly argv: readonly [string, ...string[]]
  readonly env?: EnvVariables
  readonly cwd?: string
  /** Colour `#rrggbb` of the terminal's background, which it names when it is asked. */
  readonly background?: string
  /** Delays the terminal's replies to queries until this resolves. */
  readonly answersAfter?: Promise<unknown>
}

type PtyExit = { readonly exitCode: number; readonly signal: number | undefined }

/** Pattern in the visible rows, joined by newlines, or a function of the rows. */
type ScreenCondition = RegExp | ((screen: string[]) => boolean)

export type Pty = AsyncDisposable & {
  readonly pid: number
  readonly exited: Promise<PtyExit>
  write(text: string): void
  /** Sends keys in order, named as in `keyBytes`. */
  press(...keys: string[]): void
  /** Sends text as a bracketed paste. */
  paste(text: string): void
  /** Terminal that shows the program's output, to read from. */
  readonly terminal: VirtualScreen
  waitFor(seen: ScreenCondition, options?: { readonly timeoutMs?: number }): Promise<void>
  resize(size: ScreenSize): void
  kill(signal?: NodeJS.Signals): void
  /** Closes the terminal side of the pty, as closing a window does. */
  hangUp(): void
  /** Returns every byte that the program has written so far. */
  rawBytes(): Buffer
  /** Lists the live processes of the tree, the program included. */
  processes(): number[]
}

/** Starts a program on a pseudo-terminal with a readable screen. Disposing kills the whole process tree. */
export function startPty(options: PtyOptions): Pty {
  const mark = newMark()
  const [file, ...args] = options.argv
  const size = { cols: options.cols ?? 80, rows: options.rows ?? 24 }
  const env = cleanEnvironment({ TERM: 'xterm-256color', COLORTERM: 'truecolor', ...options.env, [markVariable]: mark })
  const pty = spawn(file, args, {
    ...size,
    env,
    cwd: options.cwd ?? process.cwd(),
    name: 'xterm-256color',
    encoding: null,
  })
  const terminal = virtualScreen({
    ...size,
    answer: (text) => {
      if (options.answersAfter === undefined) pty.write(text)
      else void options.answersAfter.then(() => pty.write(text))
    },
    ...(options.background === undefined ? {} : { background: options.background }),
  })
  const chunks: Buffer[] = []
  let fed = Promise.resolve()
  pty.onData((received: string | Buffer) => {
    const bytes = Buffer.from(received)
    chunks.push(bytes)
    fed = terminal.feed(bytes)
  })
  const exit = Promise.withResolvers<PtyExit>()
  pty.onExit(({ exitCode, signal }) => exit.resolve({ exitCode, signal: signal || undefined }))
  const exited = exit.promise.then(async (ending) => {
    await fed
    return ending
  })
  return {
    pid: pty.pid,
    exited,
    write: (text) => pty.write(text),
    press: (...keys) => pty.write(keys.map(keyBytes).join('')),
    paste: (text) => pty.write(`\x1b[200~${text}\x1b[201~`),
    terminal,
    waitFor: (seen, { timeoutMs = 30_000 } = {}) => waitForScreen(terminal, seen, timeoutMs),
    resize: (next) => {
      pty.resize(next.cols, next.rows)
      terminal.resize(next)
    },
    kill: (signal = 'SIGKILL') => void process.kill(pty.pid, signal),
    hangUp: () => closeTerminal(pty),
    rawBytes: () => Buffer.concat(chunks),
    processes: () => descendantsWithMark(mark),
    [Symbol.asyncDispose]: async () => {
      killMarked(mark)
      await exited
      terminal[Symbol.dispose]()
    },
  }
}

/** Closes the pty by `destroy`, a method of the library without a declaration. */
function closeTerminal(pty: IPty): void {
  if (!('destroy' in pty && typeof pty.destroy === 'function')) throw new Error('this terminal cannot be closed')
  pty.destroy()
}

async function waitForScreen(terminal: VirtualScreen, seen: ScreenCondition, timeoutMs: number): Promise<void> {
  const matches = typeof seen === 'function' ? seen : (rows: string[]) => rows.join('\n').search(seen) >= 0
  const what = typeof seen === 'function' ? 'the screen' : String(seen)
  try {
    await waitUntil(() => matches(terminal.screen()), { timeoutMs, what })
  } catch (error) {
    throw new Error(`waited ${timeoutMs} ms for ${what}; the screen shows:\n${terminal.transcript().join('\n')}`, {
      cause: error,
    })
  }
}

const namedKeys: Readonly<Record<string, string>> = {
  Enter: '\r',
  Escape: '\x1b',
  Tab: '\t',
  Space: ' ',
  Backspace: '\x7f',
  Delete: '\x1b[3~',
  Insert: '\x1b[2~',
  Up: '\x1b[A',
  Down: '\x1b[B',
  Right: '\x1b[C',
  Left: '\x1b[D',
  Home: '\x1b[H',
  End: '\x1b[F',
  PageUp: '\x1b[5~',
  PageDown: '\x1b[6~',
  'Shift+Tab': '\x1b[Z',
  // Kitty protocol; terminals without it cannot tell Shift+Enter from Enter.
  'Shift+Enter': '\x1b[13;2u',
  'Ctrl+Left': '\x1b[1;5D',
  'Ctrl+Right': '\x1b[1;5C',
}

/** Returns the bytes that a terminal sends for "Enter", "Ctrl+C", "Alt+B", "Alt+Enter" or one character. Throws for an unknown name. */
export function keyBytes(name: string): string {
  const known = namedKeys[name]
  if (known !== undefined) return known
  if (name.startsWith('Alt+')) return `\x1b${keyBytes(name.slice(4))}`
  const control = /^Ctrl\+([A-Z[\\\]^_])$/i.exec(name)?.[1]
  if (control !== undefined) return String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f)
  if ([...name].length === 1) return name
  throw new Error(`no such key: ${name}`)
}
