import type { Highlight, Line } from '@parley/presentation/text/span'
import type { AmbiguousWidth } from '@parley/presentation/text/width'
import type { ConversationState } from '@parley/protocol'
import type { KeyEvent } from '../ui/keys/key-event.ts'
import { paintLine, type TerminalSize } from '../view/screen.ts'
import type { Theme } from '../view/text/theme.ts'

/** View that has the whole terminal until it is closed, on the alternate screen; the transcript waits behind it. */
export interface Overlay {
  /** Handles keys; all of them are for the view. */
  press(events: readonly KeyEvent[]): void
  paint(scene: OverlayScene): void
  /** Forgets the painted rows, because another program had the terminal. */
  forget(): void
}

export interface OverlayScene {
  readonly state: ConversationState | null
  readonly size: TerminalSize
  readonly theme: Theme
  readonly ambiguous: AmbiguousWidth
  /** Absent until it is loaded. */
  readonly highlight?: Highlight
  /** True while the server is gone. */
  readonly isLost: boolean
}

/**
 * Writes whole screens. Only rows that have changed are written. A row is erased before it is drawn: behind one that fills
 * the screen the cursor is on its last cell, which terminals would erase.
 */
export interface RowPainter {
  paint(rows: readonly Line[], scene: Pick<OverlayScene, 'size' | 'theme'>): void
  forget(): void
}

export function createRowPainter(write: (text: string) => void): RowPainter {
  let painted: readonly string[] = []
  let last: TerminalSize | null = null
  return {
    paint(rows, { size, theme }) {
      if (last?.columns !== size.columns || last.rows !== size.rows) painted = []
      last = size
      const texts = rows.slice(0, size.rows).map((row) => paintLine(row, theme))
      const changed = texts.flatMap((text, row) => (text === painted[row] ? [] : [`\x1b[${row + 1};1H\x1b[K${text}`]))
      painted = texts
      if (changed.length > 0) write(beginFrame + changed.join('') + endFrame)
    },
    forget() {
      painted = []
    },
  }
}

/** Synchronised output without wrapping, so that a row that is drawn wider than measured stays one row. */
const beginFrame = '\x1b[?2026h\x1b[?7l\x1b[?25l'
const endFrame = '\x1b[?7h\x1b[?2026l'
