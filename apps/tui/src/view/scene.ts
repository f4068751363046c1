import type { Highlight, Line } from '@parley/presentation/text/span'
import type { ConversationState } from '@parley/protocol'
import type { UiState } from '../ui/state/ui-state.ts'
import type { TerminalSize } from './screen.ts'
import type { ColourDepth } from './text/theme.ts'
import type { Transcript } from './transcript/transcript.ts'

/** Everything a frame of the screen is computed from. */
export interface Scene {
  readonly transcript: Transcript
  /** The conversation; null until the server has sent it. */
  readonly state: ConversationState | null
  readonly ui: UiState
  readonly size: TerminalSize
  readonly nowMs: number
  readonly homeFolder: string
  readonly colours: ColourDepth
  /** Colours code; absent until it is loaded. */
  readonly highlight?: Highlight
  /** Local time minus UTC, in ms. */
  readonly utcOffsetMs: number
  /** Git branch of the conversation's folder, if known. */
  readonly branch: string | null
}

/** Below this height blank rows are left out. */
const roomyRows = 14

/** Returns the blank row between parts, where the window is high enough for it. */
export function gapRows({ rows }: TerminalSize): readonly Line[] {
  return rows >= roomyRows ? [[]] : []
}
