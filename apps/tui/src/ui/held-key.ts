import { insert } from './composer/composer.ts'
import { chord, commandForKey } from './composer/key-table.ts'
import type { KeyEvent } from './keys/key-event.ts'
import type { UiState } from './ui-state.ts'

/** A key that was pressed at a question with nothing written: an answer, or the first letter of a message. */
export interface HeldKey {
  /** Empty for Enter. */
  readonly text: string
  /** What goes into the composer if text follows: the key, behind others that were no answers just before. */
  readonly written: string
  readonly atMs: number
  readonly approvalId: string
  /** Why it is no answer; null while it is chosen and takes effect unless more text follows. */
  readonly refusal: Refusal | null
}

/**
 * `tooEarly`: the question cannot have been read. `readOnly`: this window only watches. `unseen`: a yes to what has not
 * been on the screen whole.
 */
export type Refusal = 'tooEarly' | 'readOnly' | 'unseen'

/**
 * How long a letter is chosen before it takes effect. Letters of a word are up to 250 ms apart, and a slow line may
 * deliver the second up to 200 ms later than the first.
 */
export const takenAfterMs = 500

/** When the chosen letter takes effect, in ms since the epoch; null while none is chosen. */
export function takenAtMs({ heldKey }: Pick<UiState, 'heldKey'>): number | null {
  return heldKey === null || heldKey.refusal !== null ? null : heldKey.atMs + takenAfterMs
}

/** The screen's state once the next key has decided about the held one, and whether that key was for nothing else. */
export interface Released {
  readonly ui: UiState
  readonly isUsed: boolean
}

/**
 * Text that follows makes the held letter the beginning of it, whenever it comes before the letter took effect. Escape,
 * Ctrl+C and Backspace take a chosen letter back, Enter leaves it chosen, any other key drops it.
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

/** Whether text that comes now belongs to the key. */
export function isFresh({ atMs }: HeldKey, nowMs: number): boolean {
  return nowMs - atMs < takenAfterMs
}

const takesBack: ReadonlySet<string> = new Set(['escape', 'ctrl+c', 'backspace', 'shift+backspace', 'ctrl+h'])

function isWriting(event: KeyEvent): boolean {
  const kind = commandForKey(event)?.kind
  return kind === 'insert' || kind === 'paste' || kind === 'newline'
}
