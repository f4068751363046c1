import { randomUUID } from 'node:crypto'
import type { ConversationState } from '@parley/protocol'
import type { Painter } from '../terminal/painter.ts'
import type { Intent, UiAction, UiContext } from '../ui/actions.ts'
import { takenAtMs } from '../ui/approval/answer-guard.ts'
import { initialUi, type UiState } from '../ui/ui-state.ts'
import { followState, updateUi } from '../ui/update-ui.ts'
import { layoutScreen } from '../view/layout-screen.ts'
import type { Screen, TerminalSize } from '../view/screen.ts'
import { type Announced, announce, unannounced } from '../view/title-and-bell.ts'
import { emptyTranscript, openTranscript, type Transcript } from '../view/transcript/transcript.ts'
import { createFrames, createQuiet, type Frames, type Quiet } from './frame-timing.ts'

export interface StageParts {
  readonly painter: Painter
  readonly size: () => TerminalSize
  /** Asks the terminal whether it has another size by now; `resized` is called if so. */
  readonly measure: () => void
  readonly homeFolder: string
  /** The terminal breaks rows anew when it gets narrower. */
  readonly reflows: boolean
  /** Writes to the terminal outside of the text; null leaves as it is. */
  readonly signal: (about: { readonly title: string | null; readonly ring: string | null }) => void
  readonly onIntent: (intent: Intent) => void
}

/** Screens' worth of rows that a conversation is opened with. */
const openingScreens = 3

/** A size that has stood this long is one to paint for. */
const settledAfterMs = 200

/** Everything that is shown, and the only place where it changes. */
export class Stage implements Disposable {
  readonly #parts: StageParts
  readonly #frames: Frames
  readonly #quiet: Quiet
  /** Null while the terminal is someone else's: what is new waits for the next painter. */
  #painter: Painter | null
  #isResized = false
  #ui: UiState = initialUi
  #transcript: Transcript = emptyTranscript
  #state: ConversationState | null = null
  #branch: string | null = null
  #announced: Announced = unannounced

  constructor(parts: StageParts) {
    this.#parts = parts
    this.#painter = parts.painter
    this.#frames = createFrames(() => this.#paint())
    this.#quiet = createQuiet(() => this.dispatch({ kind: 'quiet' }))
  }

  get ui(): UiState {
    return this.#ui
  }

  /** Takes what happened, paints, and only then asks for what follows from it. */
  dispatch(...actions: readonly UiAction[]): void {
    const intents: Intent[] = []
    for (const action of actions) {
      const step = updateUi(this.#ui, action, this.#context())
      this.#ui = followState(step.ui, { state: this.#state })
      intents.push(...step.intents)
    }
    this.#quiet.at(takenAtMs(this.#ui))
    this.#frames.now()
    for (const intent of intents) this.#parts.onIntent(intent)
  }

  /** The conversation went on. */
  follow(state: ConversationState): void {
    this.#state = state
    this.#frames.soon()
  }

  /** Another conversation is on the screen from now on; returns how many of its items are passed over. */
  open(state: ConversationState, { isOnScreen }: { readonly isOnScreen: boolean }): number {
    const { columns, rows } = this.#parts.size()
    this.#state = state
    this.#branch = null
    this.#transcript = openTranscript(this.#transcript, state, { columns }, isOnScreen ? 0 : rows * openingScreens)
    return this.#transcript.itemCount
  }

  /** The same conversation, from a new server: what is printed stays printed. */
  reopen(state: ConversationState): void {
    this.#state = state
    const { itemCount } = this.#transcript
    this.#transcript = { ...this.#transcript, itemCount: Math.min(itemCount, state.core.counts.items) }
    // What is said of it belongs below what it holds by now.
    this.#frames.now()
  }

  locate(branch: string | null): void {
    this.#branch = branch
    this.#frames.soon()
  }

  /**
   * While sizes follow each other nothing is on the screen that could be broken, and nothing is written: rows that meet
   * a width they were not made for stay in the scrollback, and what is erased for another width takes finished rows along.
   */
  resized(): void {
    if (this.#frames.areHeld()) this.#isResized = true
    else this.#painter?.resized(this.#parts.size(), this.#parts.reflows)
    this.#frames.hold(settledAfterMs)
  }

  /** Another painter takes over from the one before. */
  handOver(make: (first: Screen) => Painter): void {
    this.#fit()?.close()
    this.#painter = make(this.#project())
  }

  /** Takes the live zone off the terminal until a painter is handed over. */
  yieldTerminal(): void {
    this.#fit()?.close()
    this.#painter = null
  }

  [Symbol.dispose](): void {
    this.#frames.stop()
    this.#quiet.stop()
    this.#fit()?.close()
  }

  #paint(): void {
    this.#parts.measure()
    if (this.#frames.areHeld()) return
    const painter = this.#fit()
    if (painter === null) return
    const screen = this.#project()
    painter.paint(screen)
    const { approvalId, isSeen } = screen
    this.#ui = updateUi(this.#ui, { kind: 'painted', approvalId, isSeen }, this.#context()).ui
    this.#frames.at(screen.changesAtMs)
    const { announced, title, ring } = announce(this.#announced, this.#state, approvalId, Date.now())
    this.#announced = announced
    if (title !== null || ring !== null) this.#parts.signal({ title, ring })
  }

  /** The painter, once it knows the size that has come of several. */
  #fit(): Painter | null {
    if (this.#isResized) this.#painter?.resized(this.#parts.size(), this.#parts.reflows)
    this.#isResized = false
    return this.#painter
  }

  #project(): Screen {
    this.#ui = followState(this.#ui, { state: this.#state })
    const { transcript, screen } = layoutScreen({
      transcript: this.#transcript,
      state: this.#state,
      ui: this.#ui,
      size: this.#parts.size(),
      nowMs: Date.now(),
      homeFolder: this.#parts.homeFolder,
      branch: this.#branch,
    })
    this.#transcript = transcript
    return screen
  }

  #context(): UiContext {
    const { columns } = this.#parts.size()
    return { state: this.#state, nowMs: Date.now(), columns, freshId: randomUUID() }
  }
}
