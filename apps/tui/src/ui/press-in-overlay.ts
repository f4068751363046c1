import { chord } from './composer/key-table.ts'
import type { KeyEvent } from './keys/key-event.ts'
import { chosen, pressInPicker } from './picker.ts'
import { stepTo, type UiStep } from './ui-action.ts'
import type { Elsewhere, Overlay, Picker, UiState } from './ui-state.ts'

/** Keys while something lies over the composer. */
export function pressInOverlay(ui: UiState, overlay: Overlay, event: KeyEvent): UiStep {
  return overlay.kind === 'picker' ? pick(ui, overlay, event) : chooseElsewhere(ui, overlay, event)
}

function pick(ui: UiState, picker: Picker, event: KeyEvent): UiStep {
  if (event.kind !== 'key' || chord(event) !== 'enter') return stepTo({ ...ui, overlay: pressInPicker(picker, event) })
  const conversation = chosen(picker)
  if (conversation === null) return stepTo(ui)
  const { conversationId } = conversation
  if (conversationId === ui.opened?.conversationId) return stepTo({ ...ui, overlay: null })
  return stepTo(ui, { kind: 'open', conversationId, readOnly: false })
}

function chooseElsewhere(ui: UiState, { conversationId }: Elsewhere, event: KeyEvent): UiStep {
  if (event.kind !== 'text') return stepTo(ui)
  switch (event.text) {
    case 'v':
      return stepTo(ui, { kind: 'open', conversationId, readOnly: true })
    case 'f':
      return stepTo(ui, { kind: 'fork', conversationId })
    case 'q':
      return ui.opened === null ? stepTo(ui, { kind: 'leave' }) : stepTo({ ...ui, overlay: null })
    default:
      return stepTo(ui)
  }
}
