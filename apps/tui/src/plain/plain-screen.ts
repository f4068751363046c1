import { type Line, lineText, type Style } from '@parley/presentation/text/span'
import type { ConversationState } from '@parley/protocol'
import { createFrames, type Frames } from '../screen/frame-timing.ts'
import { ScreenModel } from '../screen/screen-model.ts'
import type { ConversationScreen } from '../terminal/conversation-screen.ts'
import type { Intent, UiAction } from '../ui/state/actions.ts'
import type { UiState } from '../ui/state/ui-state.ts'
import { emptyZone } from '../view/live-zone.ts'
import { nothingPrinted, plainFrame } from '../view/plain/plain-frame.ts'
import type { Scene } from '../view/scene.ts'
import { paintLine, type Screen, type TerminalSize } from '../view/screen.ts'
import { ansiTheme, type ColourDepth } from '../view/text/theme.ts'
import type { Signal } from '../view/title-and-bell.ts'
import type { Transcript } from '../view/transcript/transcript.ts'

interface PlainScreenOptions {
  /** Prints a line and its end. */
  readonly print: (line: string) => void
  /** Colours of the lines; off unless the user asks for them. */
  readonly colours: ColourDepth
  readonly size: () => TerminalSize
  readonly homeFolder: string
  /** Notifies the user. */
  readonly signal: (signal: Signal) => void
  readonly onIntent: (intent: Intent) => void
}

/** The screen of a plain session. It has the same state as a window, and each frame prints the new lines. */
export class PlainScreen implements ConversationScreen, Disposable {
  readonly #options: PlainScreenOptions
  readonly #model: ScreenModel
  readonly #frames: Frames

  constructor(options: PlainScreenOptions) {
    this.#options = options
    const { size, homeFolder, colours } = options
    this.#model = new ScreenModel({ size, homeFolder, colours, layout: plainLayout() })
    this.#frames = createFrames(() => this.#print())
  }

  get ui(): UiState {
    return this.#model.ui
  }

  /** Applies the actions, prints, and then passes on the intents that follow. */
  dispatch(...actions: readonly UiAction[]): void {
    const intents = this.#model.update(actions)
    this.#frames.now()
    for (const intent of intents) this.#options.onIntent(intent)
  }

  open(state: ConversationState, placement: { readonly isOnScreen: boolean }): number {
    return this.#model.open(state, placement)
  }

  reopen(state: ConversationState): void {
    this.#model.reopen(state)
    this.#frames.now()
  }

  follow(state: ConversationState): void {
    this.#model.follow(state)
    this.#frames.soon()
  }

  locate(branch: string | null): void {
    this.#model.locate(branch)
  }

  /** Does nothing: a plain session has no overlay. */
  cover(): void {}

  uncover(): void {}

  holdKeys(): Disposable {
    return { [Symbol.dispose]: () => undefined }
  }

  repaint(): void {}

  suspend(): void {}

  [Symbol.dispose](): void {
    this.#frames.now()
    this.#frames.stop()
  }

  #print(): void {
    const screen = this.#model.nextScreen()
    const { print, colours } = this.#options
    for (const { lines } of screen.settled)
      for (const line of lines) print(colours === 'none' ? lineText(line) : paintLine(line, screen.theme))
    const signal = this.#model.notePainted(screen)
    this.#frames.at(earliest([screen.changesAtMs, signal.againAtMs]))
    if (signal.telling !== null) this.#options.signal(signal)
  }
}

/** Returns the layout of a plain session, which remembers the printed lines. A question is whole once it is printed. */
function plainLayout(): (scene: Scene) => { readonly transcript: Transcript; readonly screen: Screen } {
  let printed = nothingPrinted
  return (scene) => {
    const frame = plainFrame(scene, printed)
    printed = frame.printed
    const lines = frame.lines.map(tintLine)
    return {
      transcript: frame.transcript,
      screen: {
        settled: lines.length === 0 ? [] : [{ kind: 'report', lines }],
        live: emptyZone,
        caret: null,
        approvalId: frame.approvalId,
        isSeen: frame.approvalId !== null,
        changesAtMs: earliest([scene.ui.keys.offer?.untilMs ?? null, frame.changesAtMs]),
        theme: ansiTheme,
        ambiguous: 1,
      },
    }
  }
}

function earliest(times: readonly (number | null)[]): number | null {
  return times.reduce(
    (first, time) => (first === null || time === null ? (time ?? first) : Math.min(first, time)),
    null,
  )
}

/** Looks of lines by their beginning. Only lines of parley begin at the margin, so that no text of others is taken for one. */
const looks: readonly (readonly [beginning: RegExp, style: Style])[] = [
  [/^(?:Error:|The server ended)/, { tone: 'bad', bold: true }],
  [/^(?:Warning:|Approved, not started)/, { tone: 'warn' }],
  [/^Question\b/, { tone: 'warn', bold: true }],
  [/^(?:Ran|Called|Edited|You ran|Not \w+) .*; (?:exit \d|failed|ended by|denied|interrupted)/, { tone: 'bad' }],
  [/^(?:You|Rule to add to [^\n]*|Field): /, { tone: 'accent' }],
  [/^(?:Limits|Plan|Thought|Looked at|Type|In |Asked because|done|stopped|failed)\b/, { tone: 'muted' }],
]

/** Returns the line with the colour of its meaning. */
export function tintLine(text: string): Line {
  const found = looks.find(([beginning]) => beginning.test(text))
  return [found === undefined ? { text } : { text, ...found[1] }]
}
