import { isFresh } from './approval/answer-guard.ts'
import { insert } from './composer/composer.ts'
import { chord, commandForKey } from './composer/key-table.ts'
import type { KeyEvent } from './keys/key-event.ts'
import type { UiState } from './ui-state.ts'

/** State after the next key decided about the held one, and whether that key had no other use. */
export interface Released {
  readonly ui: UiState
  readonly isUsed: boolean
}

/**
 * Releases the held key. Text before it takes effect makes it the first letter of a message; Escape, Ctrl+C and
 * Backspace take it back, Enter keeps it, any other key drops it.
 */
export function releaseHeld(ui: UiState, event: KeyEvent, nowMs: number): Released {
  const { heldKey } = ui
  if (heldKey === null) return { ui, isUsed: false }
  const free = { ...ui, heldKey: null }
  const isChosen = heldKey.refusal === null
  if (isWriting(event)) {
    const belongs = isChosen || isFresh(heldKey, nowMs)
    return { ui: belongs ? { ...free, composer: insert(ui.composer, heldKey.written) } : free, isUsed: false }
  }
  const key = event.kind === 'key' ? chord(event) : ''
  if (isChosen && (key === 'enter' || key === 'alt+enter')) return { ui, isUsed: true }
  return { ui: free, isUsed: isChosen && takesBack.has(key) }
}

const takesBack: ReadonlySet<string> = new Set(['escape', 'ctrl+c', 'backspace', 'shift+backspace', 'ctrl+h'])

function isWriting(event: KeyEvent): boolean {
  const kind = commandForKey(event)?.kind
  return kind === 'insert' || kind === 'paste' || kind === 'newline'
}
