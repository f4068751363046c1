import type { WriteStream } from 'node:tty'
import { render } from 'ink'
import { type Painter, paintRows, restingPlace, settledText } from '../terminal/painter.ts'
import { eraseBelow, eraseZone } from '../view/erase-zone.ts'
import { type Caret, emptyZone, type LiveZone, liveRows, mapParts } from '../view/live-zone.ts'
import type { Screen } from '../view/screen.ts'
import { App, type Batch } from './app.tsx'

const inkOptions = {
  exitOnCtrlC: false,
  patchConsole: false,
  interactive: true,
  /** Higher than the screen needs: events are coalesced before React, and a key must not wait for a frame. */
  maxFps: 1_000,
  incrementalRendering: true,
}

export interface InkStreams {
  /** Stream that emits `resize` only when the painter does. */
  readonly stdout: WriteStream
  readonly stdin: NodeJS.ReadStream
  /** Measures the terminal; returns true if frames for the size before must not be written any more. */
  readonly isOutdated?: () => boolean
}

/** Creates the painter that draws with Ink. Keys and terminal modes are handled elsewhere. */
export function createInkPainter({ stdout, stdin, isOutdated }: InkStreams, first: Screen): Painter {
  let batch: Batch | null = null
  let painted: { readonly live: LiveZone; readonly caret: Caret | null } = first
  let { theme } = first
  /** Frame that Ink has written; it may write a frame one millisecond late, and not at all when a resize comes first. */
  let written: typeof painted = { live: emptyZone, caret: null }
  let stale: readonly number[] = []
  /** Text of a frame that was not written, because the terminal's size changed while it was computed. */
  let unwritten: string | null = null
  const output = correctInk(stdout, () => {
    written = painted
  })

  function app() {
    const texts = mapParts((part) => paintRows(painted.live[part], theme))
    output.hasCaret = painted.caret !== null
    return <App batch={batch} live={texts} cursor={painted.live === emptyZone ? null : restingPlace(painted)} />
  }

  function append(text: string): void {
    batch = { number: (batch?.number ?? 0) + 1, text }
  }

  function show(screen: Screen) {
    painted = { live: screen.live, caret: screen.caret }
    theme = screen.theme
    const settled = settledText(screen)
    const texts = [unwritten, settled].filter((text) => text !== null)
    if (texts.length > 0) append(texts.join('\n'))
    return app()
  }

  const instance = render(show(first), { stdout, stdin, ...inkOptions })

  function hide() {
    painted = { live: emptyZone, caret: null }
    instance.rerender(app())
  }

  /** Lets Ink write again, from the cursor on: it must not take any row for drawn. */
  function unmute() {
    if (output.isMuted) instance.clear()
    output.isMuted = false
  }

  return {
    paint(screen) {
      unmute()
      const before = batch
      output.isOutdated = isOutdated ?? null
      instance.rerender(show(screen))
      output.isOutdated = null
      if (batch === before) return
      unwritten = output.isMuted ? (batch?.text ?? null) : null
      if (output.isMuted) return
      stale = []
      output.isAtTop = false
    },
    resized(at, isReflowed) {
      const rows = liveRows(written.live)
      const cursor = restingPlace(written)
      const erasure = eraseZone({ rows, cursor, stale }, at, isReflowed)
      unmute()
      stdout.write(`${hideCursor}${erasure.sequence}`)
      stale = erasure.stale
      output.isAtTop = erasure.isAtTop
      output.isMuted = true
      hide()
      written = painted
      Object.assign(stdout, { columns: at.columns, rows: at.rows })
      stdout.emit('resize')
    },
    close(isResumed = false) {
      unmute()
      if (unwritten !== null) append(unwritten)
      output.hasEndedRow = false
      hide()
      instance.unmount()
      // Ink ends even an empty frame with a line end.
      if (isResumed && output.hasEndedRow) stdout.write('\x1b[1A')
    },
  }
}

const hideCursor = '\x1b[?25l'
const showCursor = '\x1b[?25h'

interface InkOutput {
  /** True from a resize until the next frame: the rows are erased already, and Ink would erase some of the transcript. */
  isMuted: boolean
  /** True while the frame begins in the first row of the screen, from where tmux must not be told to erase it. */
  isAtTop: boolean
  /** False while the cursor rests in the first row, where it is not shown. */
  hasCaret: boolean
  /** True after a write that ended a row. */
  hasEndedRow: boolean
  /** Asked once, before the next write; null if that belongs to a frame already begun. */
  isOutdated: (() => boolean) | null
}

/** Changes the stream's `write` so that the painter decides what Ink erases, and hears of each write. */
function correctInk(stdout: WriteStream, onWrite: () => void): InkOutput {
  const state: InkOutput = { isMuted: false, isAtTop: false, hasCaret: true, hasEndedRow: false, isOutdated: null }
  const write = stdout.write.bind(stdout)
  Object.assign(stdout, {
    write(text: string, done?: () => void) {
      const { isOutdated } = state
      state.isOutdated = null
      if (!state.isMuted && isOutdated?.() === true) state.isMuted = true
      if (state.isMuted) return true
      onWrite()
      state.hasEndedRow ||= text.endsWith('\n')
      const shown = state.hasCaret ? text : text.replaceAll(showCursor, '')
      return write(state.isAtTop ? shown.replace('\x1b[J', eraseBelow) : shown, done)
    },
  })
  return state
}
