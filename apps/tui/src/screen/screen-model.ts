import { takenAtMs } from '@parley/presentation/question/answers'
import type { Highlight } from '@parley/presentation/text/span'
import type { ConversationState } from '@parley/protocol'
import type { Intent, UiAction, UiContext } from '../ui/state/actions.ts'
import { initialUi, type UiState, waitingApprovals } from '../ui/state/ui-state.ts'
import { followState, updateUi } from '../ui/update/update-ui.ts'
import { layoutScreen } from '../view/layout-screen.ts'
import type { Screen, TerminalSize } from '../view/screen.ts'
import { type ColourDepth, type Theme, themeOf } from '../view/text/theme.ts'
import { type Announced, announce, type Signal, unannounced } from '../view/title-and-bell.ts'
import { emptyTranscript, openTranscript, type Transcript } from '../view/transcript/transcript.ts'

interface ModelParts {
  readonly size: () => TerminalSize
  readonly homeFolder: string
  readonly colours: ColourDepth
  /** Computes a frame; by default the frame of a window. */
  readonly layout?: typeof layoutScreen
}

const minuteMs = 60_000

/** Rows that a conversation is opened with, as a multiple of the window's height. */
const openingScreens = 3

/** Closed state of the screen: conversation, composer, and printed parts. Computes frames; paints nothing. */
export class ScreenModel {
  readonly #parts: ModelParts
  /** Start of the program in ms since the epoch, which counts as a key: the user has just typed its command. */
  readonly #startedAtMs = Date.now()
  #ui: UiState = initialUi
  #transcript: Transcript = emptyTranscript
  #state: ConversationState | null = null
  #branch: string | null = null
  #announced: Announced = unannounced
  #highlight: Highlight | null = null

  constructor(parts: ModelParts) {
    this.#parts = parts
  }

  get ui(): UiState {
    return this.#ui
  }

  /** Returns what colours code, once it is loaded. */
  get highlight(): { readonly highlight?: Highlight } {
    return this.#highlight === null ? {} : { highlight: this.#highlight }
  }

  get theme(): Theme {
    const { theme, background } = this.#ui.look
    return themeOf({ name: theme, background, depth: this.#parts.colours })
  }

  get state(): ConversationState | null {
    return this.#state
  }

  /** Time at which a held key takes effect unless more text follows, in ms since the epoch; null without such a key. */
  get keyTakenAtMs(): number | null {
    return takenAtMs(this.#ui.answering)
  }

  /** Applies the actions in order and returns the requests that follow from them. */
  update(actions: readonly UiAction[]): readonly Intent[] {
    return actions.flatMap((action) => {
      const step = updateUi(this.#ui, action, this.#context())
      this.#ui = followState(step.ui, { state: this.#state })
      return step.intents
    })
  }

  follow(state: ConversationState): void {
    this.#state = state
  }

  /** Shows another conversation. Returns the number of its items that are passed over. */
  open(state: ConversationState, { isOnScreen }: { readonly isOnScreen: boolean }): number {
    const { columns, rows } = this.#parts.size()
    const { ambiguousWidth: ambiguous } = this.#ui.look
    this.#state = state
    this.#branch = null
    this.#transcript = openTranscript(
      this.#transcript,
      state,
      { columns, ambiguous },
      isOnScreen ? 0 : rows * openingScreens,
    )
    return this.#transcript.itemCount
  }

  /** Shows the same conversation as loaded by a new server. Printed items are not printed again. */
  reopen(state: ConversationState): void {
    this.#state = state
    const { itemCount } = this.#transcript
    this.#transcript = { ...this.#transcript, itemCount: Math.min(itemCount, state.core.counts.items) }
  }

  /** Shows code in colours from the next frame on. */
  colourCode(highlight: Highlight): void {
    this.#highlight = highlight
  }

  /** Sets the Git branch for the status line; null outside a repository. */
  locate(branch: string | null): void {
    this.#branch = branch
  }

  /** Returns the next frame. Its settled blocks are in no later frame, so it must be painted. */
  nextScreen(): Screen {
    this.#ui = followState(this.#ui, { state: this.#state })
    const { layout = layoutScreen } = this.#parts
    const { transcript, screen } = layout({
      transcript: this.#transcript,
      state: this.#state,
      ui: this.#ui,
      size: this.#parts.size(),
      nowMs: Date.now(),
      homeFolder: this.#parts.homeFolder,
      colours: this.#parts.colours,
      ...this.highlight,
      utcOffsetMs: -new Date().getTimezoneOffset() * minuteMs,
      branch: this.#branch,
    })
    this.#transcript = transcript
    // Without a caret the cursor rests above the question, where no resize moves the question into the scrollback.
    return screen.approvalId !== null && isUnwritten(this.#ui) ? { ...screen, caret: null } : screen
  }

  /** Records that the frame is on the screen, which keys may answer from now on, and returns what to signal. */
  notePainted({ approvalId, isSeen }: Pick<Screen, 'approvalId' | 'isSeen'>): Signal {
    this.#ui = updateUi(this.#ui, { kind: 'painted', approvalId, isSeen }, this.#context()).ui
    return this.#announce(approvalId)
  }

  /** Notes that nothing of the screen is to be seen, so that keys answer a question only once it was painted again. */
  noteHidden(): void {
    this.#ui = updateUi(this.#ui, { kind: 'painted', approvalId: null, isSeen: false }, this.#context()).ui
  }

  /** Returns what to signal while the screen is hidden. */
  announce(): Signal {
    return this.#announce(waitingApprovals(this.#state, this.#ui)[0]?.id ?? null)
  }

  #announce(approvalId: Screen['approvalId']): Signal {
    const typedAtMs = Math.max(this.#startedAtMs, this.#ui.answering.guard.lastKeyAtMs)
    const situation = { state: this.#state, approvalId, nowMs: Date.now(), typedAtMs }
    const { announced, ...signal } = announce(this.#announced, situation)
    this.#announced = announced
    return signal
  }

  /** Returns what one update works with. The id is made where it is read: before the first frame the source of ids takes 4 ms. */
  #context(): UiContext {
    const { columns } = this.#parts.size()
    let freshId: string | undefined
    return {
      state: this.#state,
      nowMs: Date.now(),
      columns,
      get freshId() {
        freshId ??= crypto.randomUUID()
        return freshId
      },
    }
  }
}

/** Returns true while keys answer a question instead of writing text. */
function isUnwritten({ composing: { composer, purpose } }: UiState): boolean {
  return composer.text === '' && purpose.kind === 'message'
}
