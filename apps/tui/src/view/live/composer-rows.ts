import type { ConversationState } from '@parley/protocol'
import { layoutComposer } from '../../ui/composer/layout.ts'
import { fieldsOf } from '../../ui/fill-form.ts'
import { type FilledForm, optionsOf } from '../../ui/form.ts'
import type { UiState } from '../../ui/ui-state.ts'
import { beside, gutterCells, marked } from '../gutter.ts'
import type { Caret } from '../screen.ts'
import type { Line, Room, Span } from '../span.ts'
import { truncateLine } from '../truncate.ts'

export interface Written {
  readonly rows: readonly Line[]
  readonly caret: Caret
}

/** The text being written, around the caret. */
export function composerRows(state: ConversationState | null, ui: UiState, room: Room, maxRows: number): Written {
  const inner = beside(room)
  const { rows, caret } = layoutComposer(ui.composer, inner, Math.max(1, maxRows))
  const mark = promptMark(ui)
  const shown: readonly Line[] =
    ui.composer.text === '' ? [truncateLine([{ text: placeholder(state, ui), tone: 'muted' }], inner)] : rows
  return { rows: marked(mark, shown), caret: { row: caret.row, column: caret.column + gutterCells } }
}

/** What is written will be run by the user, not said to the model. */
export function isOwnCommand({ purpose, composer }: UiState): boolean {
  return purpose.kind === 'message' && composer.text.startsWith('!')
}

function promptMark(ui: UiState): Span {
  const { purpose } = ui
  if (isOwnCommand(ui)) return { text: '!', tone: 'warn', bold: true }
  return { text: '›', tone: purpose.kind === 'message' ? 'accent' : 'warn', bold: true }
}

function placeholder(state: ConversationState | null, { purpose, opened, link }: UiState): string {
  if (link.kind === 'lost') return 'what you write is kept'
  if (purpose.kind === 'note') return 'what to do instead'
  if (purpose.kind === 'edit') return 'Enter with nothing here takes the message back'
  if (purpose.kind === 'form') return fieldHint(state, purpose.form)
  if (opened?.readOnly)
    return opened.onlyWatches ? 'read-only: this window watches' : 'read-only view: /fork goes on in a copy'
  if (state?.core.turn !== null && state !== null) return 'Enter adds to this turn, Alt+Enter waits for the next'
  return 'Ask for anything, / for commands'
}

function fieldHint(state: ConversationState | null, form: FilledForm): string {
  const field = fieldsOf(state, form)[form.at]
  if (field === undefined) return ''
  if (optionsOf(field) !== null) return 'arrows or a number choose'
  const kind = field.type === 'string' ? 'text' : field.type === 'integer' ? 'a whole number' : 'a number'
  return field.required ? kind : `${kind}, or nothing`
}
