import type { ConversationState } from '@parley/protocol'
import type { Painter } from '../terminal/painter.ts'
import type { Intent, UiAction } from '../ui/actions.ts'
import type { UiState } from '../ui/ui-state.ts'
import type { Screen, TerminalSize } from '../view/screen.ts'
import { createFrames, createQuietTimer, type Frames, type QuietTimer } from './frame-timing.ts'
import { ScreenModel, type Signal } from './screen-model.ts'

export interface ScreenParts {
  readonly painter: Painter
  readonly size: () => TerminalSize
  /** Reads the terminal's size; `resized` is called before it returns if the size changed. */
  readonly measure: () => void
  readonly homeFolder: string
  /** True if the terminal wraps rows again when it gets narrower. */
  readonly reflows: boolean
  /** Sets the window's title and rings the bell. */
  readonly signal: (signal: Signal) => void
  readonly onIntent: (intent: Intent) => void
}

/** Time without another change after which a new size is painted. */
const settledAfterMs = 200

/** Decides when the screen is painted and by which painter. Every change of the screen passes through it. */
export class ScreenController implements Disposable {
  readonly #parts: ScreenParts
  readonly #model: ScreenModel
  readonly #frames: Frames
  readonly #quiet: QuietTimer
  /** Painter of the terminal; null while another program has the terminal, and new blocks wait. */
  #painter: Painter | null
  #isResized = false

  constructor(parts: ScreenParts) {
    this.#parts = parts
    this.#painter = parts.painter
    this.#model = new ScreenModel(parts)
    this.#frames = createFrames(() => this.#paint())
    this.#quiet = createQuietTimer(() => this.dispatch({ kind: 'quiet' }))
  }

  get ui(): UiState {
    return this.#model.ui
  }

  /** Applies the actions, paints, and then hands over the requests that follow from them. */
  dispatch(...actions: readonly UiAction[]): void {
    const intents = this.#model.update(actions)
    this.#quiet.at(this.#model.keyTakenAtMs)
    this.#frames.now()
    for (const intent of intents) this.#parts.onIntent(intent)
  }

  /** Shows the next state of the conversation, within one frame. */
  follow(state: ConversationState): void {
    this.#model.follow(state)
    this.#frames.soon()
  }

  /** Shows another conversation from the next frame on. Returns the number of its items that are passed over. */
  open(state: ConversationState, placement: { readonly isOnScreen: boolean }): number {
    return this.#model.open(state, placement)
  }

  /** Shows the same conversation as loaded by a new server, at once: later notices belong below it. */
  reopen(state: ConversationState): void {
    this.#model.reopen(state)
    this.#frames.now()
  }

  /** Shows the Git branch; null if there is none. */
  locate(branch: string | null): void {
    this.#model.locate(branch)
    this.#frames.soon()
  }

  /**
   * Erases the live zone and paints nothing while sizes follow each other. Rows written for another width would stay in
   * the scrollback, and erasing them there takes finished rows along.
   */
  resized(): void {
    if (this.#frames.areHeld()) this.#isResized = true
    else this.#painter?.resized(this.#parts.size(), this.#parts.reflows)
    this.#frames.hold(settledAfterMs)
  }

  /** Replaces the painter. `make` gets the frame to begin with. */
  handOver(make: (first: Screen) => Painter): void {
    this.#fittedPainter()?.close()
    this.#painter = make(this.#model.nextScreen())
  }

  /** Erases the live zone until another painter is handed over. */
  yieldTerminal(): void {
    this.#fittedPainter()?.close()
    this.#painter = null
  }

  [Symbol.dispose](): void {
    this.#frames.stop()
    this.#quiet.stop()
    this.#fittedPainter()?.close()
  }

  #paint(): void {
    this.#parts.measure()
    if (this.#frames.areHeld()) return
    const painter = this.#fittedPainter()
    if (painter === null) return
    const screen = this.#model.nextScreen()
    painter.paint(screen)
    const signal = this.#model.notePainted(screen)
    this.#frames.at(screen.changesAtMs)
    if (signal.title !== null || signal.ring !== null) this.#parts.signal(signal)
  }

  /** Returns the painter, with the last of several sizes passed on to it. */
  #fittedPainter(): Painter | null {
    if (this.#isResized) this.#painter?.resized(this.#parts.size(), this.#parts.reflows)
    this.#isResized = false
    return this.#painter
  }
}
