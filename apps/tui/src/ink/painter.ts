import { paintLine, type Screen, type TerminalSize } from '../view/screen.ts'

/** Puts screens on the terminal. */
export interface Painter {
  paint(screen: Screen): void
  /** The terminal has another size: takes the live zone off the screen until the next one. `isReflowed`: its rows were broken anew. */
  resized(size: TerminalSize, isReflowed: boolean): void
  /** Takes the live zone off the screen; what is settled stays. */
  close(): void
}

/** The rows of new blocks, as text for the terminal; null when there are none. */
export function settledText({ settled }: Screen, colours: boolean): string | null {
  const rows = settled.flatMap(({ lines }) => lines.map((line) => paintLine(line, colours)))
  return rows.length === 0 ? null : rows.join('\n')
}

export function liveText({ live }: Screen, colours: boolean): string {
  return live.map((line) => paintLine(line, colours)).join('\n')
}
