import { Writable } from 'node:stream'
import { Box, type Instance, render, Text } from 'ink'
import { memo, type ReactNode } from 'react'
import { type Painter, paintedFrame, paintRows } from '../terminal/painter.ts'
import type { ZoneWriter } from '../terminal/zone-writer.ts'
import { type LivePart, liveParts, liveRows, mapParts } from '../view/live-zone.ts'
import type { Screen } from '../view/screen.ts'

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

/** Painted rows of each part of the live zone, joined by line ends; null for parts that are not shown. */
export type PaintedZone = Readonly<Record<LivePart, string | null>>

/** The live zone, below the transcript, which the terminal keeps. */
export function App({ live }: { readonly live: PaintedZone }): ReactNode {
  return (
    <Box flexDirection="column">
      {liveParts.map((part) => (
        <Rows key={part} text={live[part]} />
      ))}
    </Box>
  )
}

/** Rows of a part, which are rendered again only when they change. */
const Rows = memo(function Rows({ text }: { readonly text: string | null }): ReactNode {
  // Ink gives an empty text no height, but a blank row has one.
  return text === null ? null : <Text wrap="truncate">{text === '' ? ' ' : text}</Text>
})
