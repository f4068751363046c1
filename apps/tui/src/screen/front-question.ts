import { lineText } from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import { createRowPainter, type RowPainter } from '../terminal/overlay.ts'
import { liveRows } from '../view/live-zone.ts'
import type { Screen, TerminalSize } from '../view/screen.ts'

interface FrontParts {
  readonly write: (text: string) => void
  /** Goes to the alternate screen, or back from it. */
  readonly setAlternate: (isUsed: boolean) => void
}

type QuestionScreen = Pick<Screen, 'live' | 'approvalId' | 'caret' | 'settled' | 'theme' | 'ambiguous'>

/**
 * Shows a high question on the alternate screen. A window that becomes narrower wraps the rows of a live zone, and the
 * terminal moves the overflowing rows into the scrollback, where they cannot be erased.
 */
export class FrontQuestion {
  readonly #parts: FrontParts
  readonly #painter: RowPainter
  #shownId: Screen['approvalId'] = null
  /** Question about which something was printed while it stood in front: it stands below that now. */
  #inlineId: Screen['approvalId'] = null

  constructor(parts: FrontParts) {
    this.#parts = parts
    this.#painter = createRowPainter(parts.write)
  }

  get isShown(): boolean {
    return this.#shownId !== null
  }

  /** Returns true if the frame's question belongs in front. It stays there until it is answered. */
  wants({ approvalId, caret, live, settled, ambiguous }: QuestionScreen, size: TerminalSize): boolean {
    if (approvalId === null || caret !== null || approvalId === this.#inlineId) return false
    if (approvalId !== this.#shownId) return rowsAtHalfWidth({ live, ambiguous }, size) > size.rows
    if (settled.length > 0) this.#inlineId = approvalId
    return settled.length === 0
  }

  /** Shows the question at the bottom of the alternate screen. */
  show({ live, approvalId, theme }: QuestionScreen, size: TerminalSize): void {
    if (!this.isShown) this.#parts.setAlternate(true)
    this.#shownId = approvalId
    const rows = liveRows(live)
    const above = Array.from({ length: Math.max(0, size.rows - rows.length) }, () => [])
    this.#painter.paint([...above, ...rows], { size, theme })
  }

  /** Goes back to the transcript. Does nothing if no question is in front. */
  leave(): void {
    if (!this.isShown) return
    this.#shownId = null
    this.#painter.forget()
    this.#parts.setAlternate(false)
  }
}

function rowsAtHalfWidth({ live, ambiguous }: Pick<Screen, 'live' | 'ambiguous'>, { columns }: TerminalSize): number {
  const half = Math.max(1, Math.floor(columns / 2))
  const heights = liveRows(live).map((row) => Math.max(1, Math.ceil(cellWidth(lineText(row), ambiguous) / half)))
  return heights.reduce((total, height) => total + height, 0)
}
