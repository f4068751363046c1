import type { WriteStream } from 'node:tty'
import { render } from 'ink'
import { type Painter, paintRows, settledText } from '../terminal/painter.ts'
import { caretPosition, emptyZone, mapParts } from '../view/live-zone.ts'
import { eraseReflowed, type Screen } from '../view/screen.ts'
import { App, type Batch } from './app.tsx'

/** Higher than the screen needs: events are coalesced before React, and a key must not wait for a frame. */
const maxFps = 1_000

export interface InkStreams {
  /** Stream that emits `resize` only when the painter does. */
  readonly stdout: WriteStream
  readonly stdin: NodeJS.ReadStream
}

/** Creates the painter that draws with Ink. Keys and terminal modes are handled elsewhere. */
export function createInkPainter({ stdout, stdin }: InkStreams, first: Screen, colours: boolean): Painter {
  let batch: Batch | null = null
  let painted: Pick<Screen, 'live' | 'caret'> = first

  function app() {
    const { live, caret } = painted
    const texts = mapParts((part) => paintRows(live[part], colours))
    return <App batch={batch} live={texts} cursor={caretPosition(live, caret)} />
  }

  function show(screen: Screen) {
    painted = { live: screen.live, caret: screen.caret }
    const text = settledText(screen, colours)
    if (text !== null) batch = { number: (batch?.number ?? 0) + 1, text }
    return app()
  }

  const instance = render(show(first), {
    stdout,
    stdin,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
    maxFps,
    incrementalRendering: true,
  })

  function hide() {
    painted = { live: emptyZone, caret: null }
    instance.rerender(app())
  }

  return {
    paint: (screen) => instance.rerender(show(screen)),
    resized({ columns, rows }, isReflowed) {
      if (isReflowed) stdout.write(eraseReflowed(painted, columns))
      // Rows below the cursor may be gone, so Ink must not take any of them for drawn.
      instance.clear()
      hide()
      Object.assign(stdout, { columns, rows })
      stdout.emit('resize')
    },
    close() {
      hide()
      instance.unmount()
    },
  }
}
