import xterm from '@xterm/headless'

export type ScreenSize = { readonly cols: number; readonly rows: number }

type Clears = {
  /** Count of CSI 3J, which erases the terminal's history. */
  readonly scrollback: number
  /** Count of CSI 2J, reset, and home followed by erase-to-end, which clear the whole screen. */
  readonly screen: number
}

export type VirtualScreen = Disposable & {
  /** Resolves when the terminal has processed the bytes. */
  feed(bytes: string | Uint8Array): Promise<void>
  /** Returns the visible rows without trailing blanks. */
  screen(): string[]
  /** Returns the lines above the screen, oldest first, with wrapped lines joined. */
  scrollback(): string[]
  /** Returns scrollback and screen with wrapped lines joined, without trailing empty lines. */
  transcript(): string[]
  /** Returns the zero-based position within the visible screen. */
  cursor(): { readonly column: number; readonly row: number }
  resize(size: ScreenSize): void
  clears(): Clears
  /** Returns the number of bytes fed so far. */
  byteCount(): number
}

export type ScreenOptions = Partial<ScreenSize> & {
  /** Receives the replies of the terminal: cursor position, device attributes. */
  readonly answer?: (text: string) => void
  /** Colour `#rrggbb` that the terminal names when it is asked for its background; without it nothing is answered. */
  readonly background?: string
}

/** Creates a headless xterm with a readable screen. */
export function virtualScreen(options: ScreenOptions = {}): VirtualScreen {
  const { cols = 80, rows = 24 } = options
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 200_000, allowProposedApi: true })
  const { answer } = options
  if (answer) terminal.onData(answer)
  if (answer && options.background !== undefined) answerBackground(terminal, options.background, answer)
  const chunks: Uint8Array[] = []
  // A stream decoder joins characters that are cut between two reads.
  const decoder = new TextDecoder()
  const raw = () => Buffer.concat(chunks).toString('latin1')
  return {
    feed: (bytes) =>
      new Promise((resolve) => {
        const read = Buffer.from(bytes)
        chunks.push(read)
        terminal.write(decoder.decode(read, { stream: true }), resolve)
      }),
    screen: () => visibleRows(terminal),
    scrollback: () => logicalLines(terminal, 0, terminal.buffer.active.baseY),
    transcript: () => withoutTrailingBlank(logicalLines(terminal, 0, terminal.buffer.active.length)),
    cursor: () => ({ column: terminal.buffer.active.cursorX, row: terminal.buffer.active.cursorY }),
    resize: (size) => terminal.resize(size.cols, size.rows),
    clears: () => countClears(raw()),
    byteCount: () => chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    [Symbol.dispose]: () => terminal.dispose(),
  }
}

/** Answers OSC 11, which the headless terminal leaves unanswered. */
function answerBackground(terminal: xterm.Terminal, background: string, answer: (text: string) => void): void {
  const channels = [1, 3, 5].map((at) => background.slice(at, at + 2).repeat(2))
  terminal.parser.registerOscHandler(11, (asked) => {
    if (asked === '?') answer(`\x1b]11;rgb:${channels.join('/')}\x1b\\`)
    return true
  })
}

function countClears(raw: string): Clears {
  const count = (pattern: RegExp) => raw.match(pattern)?.length ?? 0
  return {
    scrollback: count(/\x1b\[3J/g),
    screen: count(/\x1b\[2J|\x1bc|\x1b\[(?:1;1|1)?H\x1b\[0?J/g),
  }
}

function visibleRows(terminal: xterm.Terminal): string[] {
  const { active } = terminal.buffer
  return Array.from(
    { length: terminal.rows },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
  )
}

function logicalLines(terminal: xterm.Terminal, from: number, to: number): string[] {
  const lines: string[] = []
  for (let row = from; row < to; row++) {
    const line = terminal.buffer.active.getLine(row)
    if (!line) continue
    const continues = terminal.buffer.active.getLine(row + 1)?.isWrapped ?? false
    const text = line.translateToString(!continues)
    if (line.isWrapped && lines.length > 0) lines.push(`${lines.pop() ?? ''}${text}`)
    else lines.push(text)
  }
  return lines
}

function withoutTrailingBlank(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => line !== '')
  return lines.slice(0, last + 1)
}
