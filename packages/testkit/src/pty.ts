import { type IPty, spawn } from '@lydell/node-pty'
import { cleanEnvironment, type Environment } from './clean-environment.ts'
import { keyBytes } from './keys.ts'
import { descendantsWithMark, killMarked, markVariable, newMark } from './processes.ts'
import { type ScreenSize, type VirtualScreen, virtualScreen } from './virtual-screen.ts'
import { waitUntil } from './wait-until.ts'

export type PtyOptions = Partial<ScreenSize> & {
  readonly argv: readonly [string, ...string[]]
  readonly env?: Environment
  readonly cwd?: string
}

export type PtyExit = { readonly exitCode: number; readonly signal: number | undefined }

/** A pattern is looked for in the visible screen, rows joined by newlines. */
export type Seen = RegExp | ((screen: string[]) => boolean)

export type Pty = AsyncDisposable & {
  readonly pid: number
  readonly exited: Promise<PtyExit>
  write(text: string): void
  /** Key names of `keyBytes`, in order. */
  press(...keys: string[]): void
  /** Bracketed paste. */
  paste(text: string): void
  screen(): string[]
  scrollback(): string[]
  transcript(): string[]
  cursor(): ReturnType<VirtualScreen['cursor']>
  waitFor(seen: Seen, options?: { readonly timeoutMs?: number }): Promise<void>
  resize(size: ScreenSize): void
  kill(signal?: NodeJS.Signals): void
  /** The terminal is gone, as when its window is closed. */
  hangUp(): void
  /** Every byte the program wrote, so far. */
  rawBytes(): Buffer
  fullClears(): number
  /** Live processes of the tree, the program itself included. */
  processes(): number[]
}

/** Starts a program on a real pseudo-terminal whose screen can be read. Its whole tree dies on dispose. */
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
  const screen = virtualScreen({ ...size, answer: (text) => pty.write(text) })
  const chunks: Buffer[] = []
  let fed = Promise.resolve()
  pty.onData((received: string | Buffer) => {
    const bytes = Buffer.from(received)
    chunks.push(bytes)
    fed = screen.feed(bytes)
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
    screen: screen.screen,
    scrollback: screen.scrollback,
    transcript: screen.transcript,
    cursor: screen.cursor,
    waitFor: (seen, { timeoutMs = 10_000 } = {}) => waitForScreen(screen, seen, timeoutMs),
    resize: (next) => {
      pty.resize(next.cols, next.rows)
      screen.resize(next)
    },
    kill: (signal = 'SIGKILL') => void process.kill(pty.pid, signal),
    hangUp: () => closeTerminal(pty),
    rawBytes: () => Buffer.concat(chunks),
    fullClears: () => screen.clears().scrollback + screen.clears().screen,
    processes: () => descendantsWithMark(mark),
    [Symbol.asyncDispose]: async () => {
      killMarked(mark)
      await exited
      screen[Symbol.dispose]()
    },
  }
}

/** The library has it and does not declare it. */
function closeTerminal(pty: IPty): void {
  if (!('destroy' in pty && typeof pty.destroy === 'function')) throw new Error('this terminal cannot be closed')
  pty.destroy()
}

async function waitForScreen(screen: VirtualScreen, seen: Seen, timeoutMs: number): Promise<void> {
  const matches = typeof seen === 'function' ? seen : (rows: string[]) => rows.join('\n').search(seen) >= 0
  const what = typeof seen === 'function' ? 'the screen' : String(seen)
  try {
    await waitUntil(() => matches(screen.screen()), { timeoutMs, what })
  } catch (error) {
    throw new Error(`waited ${timeoutMs} ms for ${what}; the screen shows:\n${screen.transcript().join('\n')}`, {
      cause: error,
    })
  }
}
