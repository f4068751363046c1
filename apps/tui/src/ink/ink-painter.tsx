import { Writable } from 'node:stream'
import { type Instance, render } from 'ink'
import { type Painter, paintedFrame, paintRows } from '../terminal/painter.ts'
import type { ZoneWriter } from '../terminal/zone-writer.ts'
import { liveRows, mapParts } from '../view/live-zone.ts'
import type { Screen } from '../view/screen.ts'
import { App } from './app.tsx'

const inkOptions = {
  exitOnCtrlC: false,
  patchConsole: false,
  interactive: true,
  /** Ink then hands over the whole frame at each render, at once, without moves of the cursor. */
  debug: true,
}

/**
 * Creates the painter of a live zone composed by Ink. Ink writes into memory, because its cursor moves assume that the
 * window keeps its size during a frame.
 */
export function createInkPainter(zone: ZoneWriter, stdin: NodeJS.ReadStream): Painter {
  const page = new FrameStream()
  let instance: Instance | null = null

  function compose({ live, theme }: Screen): readonly string[] {
    if (liveRows(live).length === 0) return []
    const texts = mapParts((part) => (live[part].length === 0 ? null : paintRows(live[part], theme).join('\n')))
    const app = <App live={texts} />
    if (instance === null) instance = render(app, { stdout: page, stdin, ...inkOptions })
    else instance.rerender(app)
    return page.text.split('\n')
  }

  return {
    paint(screen, columns) {
      page.columns = columns
      zone.paint(paintedFrame(screen, compose(screen), columns))
    },
    close: () => instance?.unmount(),
  }
}

/** Stream that Ink writes to: keeps the last frame, and has the width that Ink lays out for. */
class FrameStream extends Writable {
  columns = 80
  readonly rows = 24
  text = ''

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text = chunk.toString()
    done()
  }
}
