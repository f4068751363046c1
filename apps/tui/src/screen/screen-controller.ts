import type { ConversationState } from '@parley/protocol'
import type { Painter } from '../terminal/painter.ts'
import type { Intent, UiAction } from '../ui/actions.ts'
import type { KeyEvent, ReplyEvent } from '../ui/keys/key-event.ts'
import type { UiState } from '../ui/ui-state.ts'
import type { Screen, TerminalSize } from '../view/screen.ts'
import type { Highlight } from '../view/text/span.ts'
import type { ColourDepth } from '../view/text/theme.ts'
import { createFrames, createQuietTimer, type Frames, type QuietTimer } from './frame-timing.ts'
import { ResizeWatch } from './resize-watch.ts'
import { ScreenModel, type Signal } from './screen-model.ts'
import { createProbe, type TerminalProbe } from './terminal-probe.ts'

export interface ScreenParts {
  readonly painter: Painter
  readonly size: () => TerminalSize
  /** Reads the terminal's size; `resized` is called before it returns if the size changed. */
  readonly measure: () => void
  /** Writes a question to the terminal, whose answer comes with the keys. */
  readonly query: (text: string) => void
  readonly homeFolder: string
  readonly colours: ColourDepth
  /** Loads what colours code, which takes some milliseconds. */
  readonly loadHighlight: () => Promise<Highlight>
  /** True if the terminal wraps rows again when it gets narrower. */
  readonly reflows: boolean
  /** Sets the window's title and rings the bell. */
  readonly signal: (signal: Signal) => void
  readonly onIntent: (intent: Intent) => void
}

/** Decides when the screen is painted and by which painter. Every change of the screen passes through it. */
export class ScreenController implements Disposable {
  readonly #parts: ScreenParts
  readonly #model: ScreenModel
  readonly #frames: Frames
  readonly #quiet: QuietTimer
  /** Painter of the terminal; null while another program has the terminal, and new blocks wait. */
  #painter: Painter | null
  readonly #probe: TerminalProbe
  readonly #resizes: ResizeWatch
  #highlight: Promise<Highlight> | null = null

  constructor(parts: ScreenParts) {
    this.#parts = parts
    this.#painter = parts.painter
    this.#model = new ScreenModel(parts)
    this.#frames = createFrames(() => this.#paint())
    this.#quiet = createQuietTimer(() => this.dispatch({ kind: 'quiet' }))
    this.#probe = createProbe(parts.query)
    this.#resizes = new ResizeWatch({
      probe: this.#probe,
      size: parts.size,
      erase: (at) => this.#painter?.resized(at, parts.reflows),
      hold: (holdMs) => this.#frames.hold(holdMs),
      repaint: () => this.#frames.now(),
    })
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

  /** Applies keys; answers of the terminal among them are taken out. */
  press(events: readonly KeyEvent[]): void {
    const keys = events.filter((event) => event.kind !== 'reply' || !this.#takeReply(event))
    if (keys.length > 0) this.dispatch(...keys.map((event) => ({ kind: 'key', event }) as const))
  }

  /** Shows the next state of the conversation, within one frame. */
  follow(state: ConversationState): void {
    if (state.core.turn !== null) this.colourCode()
    this.#model.follow(state)
    this.#frames.soon()
  }

  /** Shows code in colours as soon as it can; without them if what colours it cannot be loaded. */
  colourCode(): void {
    if (this.#highlight !== null) return
    this.#highlight = this.#parts.loadHighlight()
    this.#highlight.then(
      (highlight) => this.#model.colourCode(highlight),
      () => undefined,
    )
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

  /** Erases the live zone, because the terminal has another size, and paints when that size has lasted. */
  resized(): void {
    this.#resizes.resized()
  }

  /** Measures the terminal; returns true if its size has changed, so that a frame computed before must not be written. */
  isOutdated(): boolean {
    this.#parts.measure()
    return this.#frames.areHeld()
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

  /** Takes a reply that the program asked for; a new background shows with the next frame. */
  #takeReply(event: ReplyEvent): boolean {
    const { reply } = event
    if (reply.type !== 'colour') return this.#probe.take(event)
    if (reply.slot === 'background') this.dispatch({ kind: 'background', rgb: reply.rgb })
    return true
  }

  #paint(): void {
    this.#parts.measure()
    if (!this.#frames.areHeld() && this.#painter !== null && this.#resizes.allows(() => this.#paintNow()))
      this.#paintNow()
  }

  #paintNow(): void {
    const painter = this.#painter
    if (painter === null) return
    const screen = this.#model.nextScreen()
    painter.paint(screen)
    const signal = this.#model.notePainted(screen)
    this.#frames.at(earlier(screen.changesAtMs, signal.againAtMs))
    if (signal.title !== null || signal.telling !== null) this.#parts.signal(signal)
  }

  /** Returns the painter, which knows of every resize. */
  #fittedPainter(): Painter | null {
    this.#resizes.giveUp()
    return this.#painter
  }
}

function earlier(timeMs: number | null, otherMs: number | null): number | null {
  return timeMs === null || otherMs === null ? (timeMs ?? otherMs) : Math.min(timeMs, otherMs)
}
