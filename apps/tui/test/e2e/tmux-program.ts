import { execFileSync } from 'node:child_process'
import { waitUntil } from '@parley/testkit'

/** A window of tmux with a program in it. */
export interface TmuxWindow extends Disposable {
  resize(columns: number, rows: number): void
  /** Types text as keys. */
  type(text: string): void
  press(...keys: readonly string[]): void
  /** Returns the visible rows. */
  screen(): readonly string[]
  /** Returns history and screen, oldest first, with wrapped rows joined. */
  transcript(): readonly string[]
  waitFor(seen: RegExp, timeoutMs?: number): Promise<void>
  /** Returns what a program has put into the clipboard by OSC 52. */
  clipboard(): string
}

interface WindowOptions {
  readonly columns: number
  readonly rows: number
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

let windows = 0

/** Returns true if tmux is installed. */
export function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Starts the command in a server of tmux of its own. */
export function startInTmux(command: string, { columns, rows, folder, env }: WindowOptions): TmuxWindow {
  windows += 1
  const name = `parley-test-${process.pid}-${windows}`
  const { TMUX: _, ...outside } = process.env
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', ['-L', name, '-f', '/dev/null', ...args], { encoding: 'utf8', env: { ...outside, ...env } })
  const size = ['-x', String(columns), '-y', String(rows)]
  tmux(
    'set-option',
    '-g',
    'history-limit',
    '50000',
    ';',
    'set-option',
    '-s',
    'set-clipboard',
    'on',
    ';',
    'new-session',
    '-d',
    '-s',
    'main',
    ...size,
    '-c',
    folder,
    command,
  )
  const capture = (...args: readonly string[]) => tmux('capture-pane', '-p', '-t', 'main', ...args).split('\n')
  const screen = () => capture()
  return {
    resize: (toColumns, toRows) => void tmux('resize-window', '-t', 'main', '-x', `${toColumns}`, '-y', `${toRows}`),
    type: (text) => void tmux('send-keys', '-t', 'main', '-l', text),
    press: (...keys) => void tmux('send-keys', '-t', 'main', ...keys),
    screen,
    clipboard: () => tmux('show-buffer'),
    transcript: () => capture('-J', '-S', '-').map((row) => row.trimEnd()),
    async waitFor(seen, timeoutMs = 20_000) {
      await waitUntil(() => seen.test(screen().join('\n')), { timeoutMs, what: String(seen) })
    },
    [Symbol.dispose]: () => void tmux('kill-server'),
  }
}
