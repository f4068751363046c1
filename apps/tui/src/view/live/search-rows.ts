import { strippedLine } from '@parley/presentation/text/control-characters'
import type { Line, Room } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import type { ConversationState } from '@parley/protocol'
import type { HistorySearch, UiState } from '../../ui/state/ui-state.ts'
import { foundPrompt } from '../../ui/update/search-history.ts'
import { beside, gutterCells, marked } from '../text/gutter.ts'

export interface RowsWithCaret {
  readonly rows: readonly Line[]
  readonly caret: { readonly row: number; readonly column: number }
}

/** Returns the search in one row: the query, the caret behind it, and the match. */
export function searchRows(
  ui: UiState,
  search: HistorySearch,
  state: ConversationState | null,
  room: Room,
): RowsWithCaret {
  const inner = beside(room)
  const found = foundPrompt(ui, search, state)
  const label = found === null ? '(search: nothing found) ' : '(search) '
  const row = truncateLine(
    [
      { text: label, tone: 'muted' },
      { text: search.query, bold: true },
      { text: ': ', tone: 'muted' },
      { text: found === null ? '' : strippedLine(found) },
    ],
    inner,
  )
  const column = gutterCells + cellWidth(label, room.ambiguous) + cellWidth(search.query, room.ambiguous)
  return { rows: marked({ text: '›', tone: 'warn', bold: true }, [row]), caret: { row: 0, column } }
}
