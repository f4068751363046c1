import type { Highlight } from '@parley/presentation/text/span'
import { userFolder } from '../cli/folders.ts'
import { createEarlyPainter } from '../terminal/painter.ts'
import { colourDepth, measure, reflowOf } from '../terminal/port.ts'
import { windowSize } from '../terminal/window-size.ts'
import { ZoneWriter } from '../terminal/zone-writer.ts'
import type { Intent, LendingIntent } from '../ui/state/actions.ts'
import type { Signal } from '../view/title-and-bell.ts'
import { createSuspension, holdScreen } from './hold-screen.ts'
import { isForProgram, lendTerminal } from './lend-terminal.ts'
import { ScreenController } from './screen-controller.ts'

/** Intent that the service of the window carries out. */
type ServedIntent = Exclude<Intent, LendingIntent>

interface Service {
  readonly onIntent: (intent: ServedIntent) => void
  /** Sets the window's title and calls the user. */
  readonly onSignal: (signal: Signal) => void
  /** Takes note that the terminal shows the alternate screen, or no longer does. */
  readonly onAlternate: (isUsed: boolean) => void
  /** Hands a painter over to the screen; called again whenever the terminal was given away and taken back. */
  readonly handPainterOver: () => void
}

/** The terminal as a screen that takes keys, which `dispose` gives back. */
export interface Window extends Disposable {
  readonly screen: ScreenController
  readonly zone: ZoneWriter
  /** Resolves when the terminal was closed. */
  readonly closed: Promise<void>
  /** Resolves once the keys pressed so far have been shown; they wait while a part of the program is loaded. */
  keysShown(): Promise<void>
  /** Passes intents on from now on, beginning with intents of keys pressed before. */
  serve(service: Service): void
}

/** Loads what colours code. The grammars of its languages are read as code in them is shown. */
async function loadHighlight(): Promise<Highlight> {
  const { highlightCode } = await import('@parley/presentation/highlight/highlight-code')
  return highlightCode
}

/** Time without keys after which the painter may be loaded: keys pressed meanwhile would wait for it. */
const pauseMs = 40

/**
 * Opens the window: paints the composer and takes keys. It is the first that an interactive program does, so that nothing
 * typed waits for the command line, the server or Ink.
 */
export function openWindow(env: Readonly<Record<string, string | undefined>>): Window {
  const { stdout } = process
  const closed = Promise.withResolvers<void>()
  const waiting: ((service: Service) => void)[] = []
  let service: Service | null = null
  const whenServed = (act: (service: Service) => void) => (service === null ? waiting.push(act) : act(service))
  let lastKeyMs = performance.now()
  const handOverInPause = () => {
    const leftMs = lastKeyMs + pauseMs - performance.now()
    if (leftMs <= 0) service?.handPainterOver()
    else setTimeout(handOverInPause, leftMs).unref()
  }
  const write = (text: string) => void stdout.write(text)
  const zone = new ZoneWriter(write, reflowOf(env))
  const screen = new ScreenController({
    painter: createEarlyPainter(zone),
    zone,
    colours: colourDepth(env),
    loadHighlight,
    size: () => windowSize(stdout),
    measure: () => measure(stdout),
    write,
    homeFolder: userFolder(env),
    signal: (signal) => void whenServed(({ onSignal }) => onSignal(signal)),
    setAlternate(isUsed) {
      service?.onAlternate(isUsed)
      held.setAlternate(isUsed)
    },
    onUncovered: () => service?.handPainterOver(),
    onIntent(intent) {
      if (intent.kind === 'suspend') void screen.answered().then(() => suspension.suspend())
      else if (isForProgram(intent)) void screen.answered().then(() => lent.lend(intent))
      else whenServed(({ onIntent }) => onIntent(intent))
    },
  })
  const held = holdScreen(screen, () => service?.handPainterOver(), {
    onKeys(events) {
      lastKeyMs = performance.now()
      screen.press(events)
    },
    onEnd: () => closed.resolve(),
  })
  const lent = lendTerminal(held, screen, env)
  const suspension = createSuspension(lent)
  const onInterrupt = () => lent.isLent() || screen.dispatch({ kind: 'signal' })
  const onResize = () => lent.isLent() || screen.resized()
  process.on('SIGINT', onInterrupt)
  stdout.on('resize', onResize)
  screen.dispatch()
  return {
    screen,
    zone,
    closed: closed.promise,
    keysShown: () => new Promise((resolve) => setImmediate(resolve)),
    serve(given) {
      service = given
      for (const act of waiting.splice(0)) act(given)
      handOverInPause()
    },
    [Symbol.dispose]() {
      service = null
      stdout.off('resize', onResize)
      suspension[Symbol.dispose]()
      held[Symbol.dispose]()
      screen[Symbol.dispose]()
      process.off('SIGINT', onInterrupt)
    },
  }
}
