import type { Highlight } from '@parley/presentation/text/span'
import type { ConversationState } from '@parley/protocol'
import type { Overlay } from '../terminal/overlay.ts'
import type { Painter } from '../terminal/painter.ts'
import type { KeyEvent, ReplyEvent } from '../ui/keys/key-event.ts'
import type { Intent, UiAction } from '../ui/state/actions.ts'
import type { UiState } from '../ui/state/ui-state.ts'
import { emptyZone } from '../view/live-zone.ts'
import type { Screen, TerminalSize } from '../view/screen.ts'
import type { ColourDepth } from '../view/text/theme.ts'
import type { Signal } from '../view/title-and-bell.ts'
import { createFrames, createQuietTimer, type Frames, type QuietTimer } from './frame-timing.ts'
import { FrontQuestion } from './front-question.ts'
import { pressUntilView } from './press-until-view.ts'
import { type ResizableZone, ResizeWatch } from './resize-watch.ts'
import { ScreenModel } from './screen-model.ts'
import { createProbe, type TerminalProbe } from './terminal-probe.ts'

export interface ScreenParts {
  readonly painter: Painter
  readonly zone: ResizableZone
  readonly size: () => TerminalSize
  /** Reads the terminal's size; `resized` is called before it returns if the size changed. */
  readonly measure: () => void
  /** Writes to the terminal; answers to questions come with the keys. */
  readonly write: (text: string) => void
  readonly homeFolder: string
  readonly colours: ColourDepth
  /** Loads what colours code, which takes some milliseconds. */
  readonly loadHighlight: () => Promise<Highlight>
  /** Sets the window's title and rings the bell. */
  readonly signal: (signal: Signal) => void
  readonly onIntent: (intent: Intent) => void
  /** Goes to the alternate screen, or back from it. */
  readonly setAlternate: (isUsed: boolean) => void
  /** Called when an overlay was closed: the screen needs a painter. */
  readonly onUncovered: () => void
}

/** Decides when and by which painter the screen is painted. Every change of the screen passes through it. */
export class ScreenController implements Disposable {
  readonly #parts: ScreenParts
  readonly #model: ScreenModel
  readonly #frames: Frames
  readonly #quiet: QuietTimer
  /** Painter of the terminal; null while another program has the terminal, and new blocks wait. */
  #painter: Painter | null
  /** View in front of the screen; nothing else is painted while there is one. */
  #overlay: Overlay | null = null
  /** Keys pressed while a view is loaded; null at other times. */
  #heldKeys: KeyEvent[] | null = null
  /** True while another program has the terminal, and the overlay waits as well. */
  #isLent = false
  readonly #probe: TerminalProbe
  readonly #resizes: ResizeWatch
  #highlight: Promise<Highlight> | null = null
  readonly #front: FrontQuestion

  constructor(parts: ScreenParts) {
    this.#parts = parts
    this.#painter = parts.painter
    this.#model = new ScreenModel(parts)
    this.#frames = createFrames((isUrgent) => this.#paint(isUrgent))
    this.#quiet = createQuietTimer(() => this.dispatch({ kind: 'quiet' }))
    this.#probe = createProbe(parts.write)
    this.#front = new FrontQuestion(parts)
    this.#resizes = new ResizeWatch({
      probe: this.#probe,
      zone: parts.zone,
      write: parts.write,
      size: parts.size,
      hold: (holdMs) => this.#frames.hold(holdMs),
      repaint: () => this.#frames.now(),
    })
  }

  get ui(): UiState {
    return this.#model.ui
  }

  /**
   * Applies the actions, paints, and hands over the requests that follow from them. A message is written to the server
   * before the frame that shows it, which takes as long as the server takes to begin.
   */
  dispatch(...actions: readonly UiAction[]): void {
    this.#carryOut(this.#model.update(actions))
  }

  #carryOut(intents: readonly Intent[]): void {
    this.#quiet.at(this.#model.keyTakenAtMs)
    if (intents.some(({ kind }) => kind === 'send')) this.#frames.next()
    else this.#frames.now()
    for (const intent of intents) this.#parts.onIntent(intent)
  }

  /** Applies keys; answers of the terminal among them are taken out. */
  press(events: readonly KeyEvent[]): void {
    const keys = events.filter((event) => event.kind !== 'reply' || !this.#takeReply(event))
    if (this.#heldKeys !== null) for (const key of keys) this.#heldKeys.push(key)
    else if (this.#overlay !== null) this.#pressOverlay(this.#overlay, keys)
    else if (keys.length > 0) this.#pressScreen(keys)
  }

  /** Keeps the keys for a view that is being loaded. Disposing passes on the keys that no view took. */
  holdKeys(): Disposable {
    this.#heldKeys ??= []
    return { [Symbol.dispose]: () => this.#handKeysOn() }
  }

  #handKeysOn(): void {
    const keys = this.#heldKeys ?? []
    this.#heldKeys = null
    if (keys.length > 0) this.press(keys)
  }

  #pressScreen(keys: readonly KeyEvent[]): void {
    const { intents, rest } = pressUntilView(keys, (event) => this.#model.update([{ kind: 'key', event }]))
    this.#carryOut(intents)
    if (rest.length > 0) this.press(rest)
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
      (highlight) => {
        this.#model.colourCode(highlight)
        if (this.#overlay !== null) this.#frames.soon()
      },
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

  /** Shows the Git branch; null outside a repository. */
  locate(branch: string | null): void {
    this.#model.locate(branch)
    this.#frames.soon()
  }

  /** Erases the live zone, because the terminal has another size, and paints when that size has lasted. */
  resized(): void {
    if (this.#overlay !== null || this.#front.isShown) this.#frames.soon()
    else if (this.#painter !== null) this.#resizes.resized()
  }

  /** Shows a view in front of the screen, which gets all keys. */
  cover(overlay: Overlay): void {
    this.colourCode()
    this.#closePainter()
    this.#overlay = overlay
    this.#parts.setAlternate(true)
    this.#frames.now()
    this.#handKeysOn()
  }

  /** Closes the view in front of the screen. A question behind it has to be read again before keys answer it. */
  uncover(): void {
    this.#overlay = null
    this.#parts.setAlternate(false)
    this.#model.noteHidden()
    this.#parts.onUncovered()
  }

  /** Gives the terminal to the shell for a while. */
  suspend(): void {
    this.#parts.onIntent({ kind: 'suspend' })
  }

  /** Paints within one frame. */
  repaint(): void {
    this.#frames.soon()
  }

  /** Replaces the painter, or gives the terminal one again. */
  handOver(painter: Painter): void {
    this.#isLent = false
    if (this.#overlay === null) {
      this.#painter?.close()
      this.#painter = painter
    } else painter.close()
    this.#frames.now()
  }

  /** Erases the live zone until another painter is handed over. */
  yieldTerminal(): void {
    this.#isLent = true
    this.#overlay?.forget()
    this.#closePainter()
  }

  /** Resolves when the terminal owes no answer, which would reach the program that has the terminal next. */
  answered(): Promise<void> {
    return this.#probe.answered()
  }

  [Symbol.dispose](): void {
    this.#frames.stop()
    this.#quiet.stop()
    this.#closePainter()
    this.#probe[Symbol.dispose]()
  }

  /** Erases the live zone and leaves the terminal without a painter. */
  #closePainter(): void {
    if (this.#painter === null) return
    this.#front.leave()
    this.#resizes.giveUp()
    this.#painter.close()
    this.#painter = null
  }

  /** Takes a reply that the program asked for; a new background shows with the next frame. */
  #takeReply(event: ReplyEvent): boolean {
    const { reply } = event
    if (reply.type !== 'colour') return this.#probe.take(event)
    if (reply.slot === 'background') this.dispatch({ kind: 'looked', look: { background: reply.rgb } })
    return true
  }

  #paint(isUrgent: boolean): void {
    this.#parts.measure()
    if (this.#overlay !== null) {
      this.#paintOverlay(this.#overlay)
      return
    }
    if (this.#frames.areHeld() || this.#painter === null) return
    const isFree = this.#front.isShown || this.#resizes.allows(isUrgent, () => this.#paintAtTop())
    if (isFree) this.#paintNow(this.#painter)
  }

  /** Paints once the cursor is in the live zone's first row, unless the terminal's size has changed again. */
  #paintAtTop(): void {
    this.#parts.measure()
    if (!this.#frames.areHeld() && this.#painter !== null) this.#paintNow(this.#painter)
  }

  #paintNow(painter: Painter): void {
    const screen = this.#model.nextScreen()
    this.#paintScreen(painter, screen)
    const signal = this.#model.notePainted(screen)
    this.#tell(signal, screen.changesAtMs)
  }

  #paintScreen(painter: Painter, screen: Screen): void {
    const size = this.#parts.size()
    const isInFront = this.#front.wants(screen, size)
    if (!isInFront) this.#front.leave()
    if (!this.#front.isShown) {
      const inline = isInFront ? { ...screen, live: emptyZone, caret: null } : screen
      this.#resizes.send(() => painter.paint(inline, size.columns))
    }
    if (isInFront) this.#front.show(screen, size)
  }

  #pressOverlay(overlay: Overlay, keys: readonly KeyEvent[]): void {
    if (keys.length === 0) return
    this.#model.update([{ kind: 'pressedElsewhere' }])
    overlay.press(keys)
    this.#frames.now()
  }

  #paintOverlay(overlay: Overlay): void {
    if (this.#isLent) return
    const { state, ui, theme, highlight } = this.#model
    const { ambiguousWidth: ambiguous } = ui.look
    const isLost = ui.connection.link.kind === 'lost'
    overlay.paint({ state, theme, ...highlight, ambiguous, size: this.#parts.size(), isLost })
    this.#tell(this.#model.announce(), null)
  }

  /** Passes a signal on, and paints again when it or the frame says. */
  #tell(signal: Signal, changesAtMs: number | null): void {
    this.#frames.at(earlier(changesAtMs, signal.againAtMs))
    if (signal.title !== null || signal.telling !== null) this.#parts.signal(signal)
  }
}

function earlier(timeMs: number | null, otherMs: number | null): number | null {
  return timeMs === null || otherMs === null ? (timeMs ?? otherMs) : Math.min(timeMs, otherMs)
}
