import type { WriteStream } from 'node:tty'
import { render } from 'ink'
import { liveText, type Painter, settledText } from '../terminal/painter.ts'
import { eraseReflowed, type Screen } from '../view/screen.ts'
import { type Batch, ScreenView } from './app.tsx'

/** More than the screen needs: what is coalesced is coalesced before React, and a key must not wait for a frame. */
const maxFps = 1_000

export interface InkStreams {
  /** One that hears of a new size from the painter alone. */
  readonly stdout: WriteStream
  readonly stdin: NodeJS.ReadStream
}

/** Ink draws; keys are read elsewhere, and modes are held elsewhere. */
export function createInkPainter({ stdout, stdin }: InkStreams, first: Screen, colours: boolean): Painter {
  let batch: Batch | null = null
  let painted = first

  function view(screen: Screen) {
    painted = screen
    const text = settledText(screen, colours)
    // A row that is only a line end has no height of its own.
    if (text !== null) batch = { number: (batch?.number ?? 0) + 1, text: text === '' ? ' ' : text }
    return <ScreenView batch={batch} live={liveText(screen, colours)} caret={screen.caret} />
  }

  const instance = render(view(first), {
    stdout,
    stdin,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
    maxFps,
    incrementalRendering: true,
  })
  function hide() {
    painted = { ...painted, live: [], caret: null }
    instance.rerender(<ScreenView batch={batch} live="" caret={null} />)
  }

  return {
    paint: (screen) => instance.rerender(view(screen)),
    resized({ columns, rows }, isReflowed) {
      if (isReflowed) stdout.write(eraseReflowed(painted, columns))
      // Rows below the cursor may be gone, so that none of them can be taken for drawn.
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
