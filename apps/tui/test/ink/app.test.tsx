import { PassThrough } from 'node:stream'
import { render } from 'ink'
import { expect, test } from 'vitest'
import { App, type PaintedZone } from '../../src/ink/ink-painter.tsx'

const empty: PaintedZone = {
  running: null,
  approval: null,
  activity: null,
  queue: null,
  menu: null,
  composer: null,
  completions: null,
  status: null,
}

/** A stream that Ink takes for a terminal of this size. */
function terminal() {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 60, rows: 20 })
  return stream as unknown as NodeJS.WriteStream
}

const options = () => ({ stdout: terminal(), patchConsole: false, exitOnCtrlC: false, interactive: true, debug: true })

/** The last frame that Ink wrote, as rows. */
function lastFrame({ stdout }: { readonly stdout: NodeJS.WriteStream }): readonly string[] {
  const written: unknown = stdout.read()
  return String(written).trimEnd().split('\n')
}

test('the parts stand in one order, and a part without rows takes none', () => {
  const at = options()
  const live = { ...empty, running: '$ make', activity: '\nworking', composer: '\n› go', status: '\nmodel' }
  const { unmount } = render(<App live={live} />, at)
  expect(lastFrame(at)).toEqual(['$ make', '', 'working', '', '› go', '', 'model'])
  unmount()
})

test('an open list takes the place of the composer', () => {
  const at = options()
  const live = { ...empty, menu: 'Resume a conversation', status: 'model' }
  const { unmount } = render(<App live={live} />, at)
  expect(lastFrame(at)).toEqual(['Resume a conversation', 'model'])
  unmount()
})
