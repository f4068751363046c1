import { setTimeout as apart } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { marks, marksIn, paragraphs } from '../screen/marked-paragraphs.ts'
import { random } from '../screen/seeded-random.ts'
import { type Place, place } from './interactive-program.ts'
import { hasTmux, startInTmux, type TmuxWindow } from './tmux-program.ts'

vi.setConfig({ testTimeout: 120_000 })

/** A loaded machine paints the frame after the last size late. */
const settling = { timeout: 20_000, interval: 200 }

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'

function start(at: Place, columns: number, rows: number, ...argv: readonly string[]): TmuxWindow {
  const env = { ...at.home.env, TEST_KEY: 'key' }
  return startInTmux(at.command(...argv), { columns, rows, folder: at.folder.path, env })
}

const patch = [
  '*** Begin Patch',
  '*** Add File: z.sh',
  ...Array.from({ length: 90 }, (_, n) => `+echo line ${n} ${'and more '.repeat(n % 9)}`),
  '*** End Patch',
].join('\n')

describe.skipIf(!hasTmux())('in tmux', () => {
  test.each([
    [120, 40, 60, 20],
    [100, 40, 80, 24],
    [80, 24, 100, 40],
    [80, 24, 30, 10],
    [80, 24, 80, 8],
  ])(
    'an idle window keeps each finished line once from %ix%i to %ix%i and back',
    async (columns, rows, toColumns, toRows) => {
      await using at = await place([{ text: `${paragraphs(40)}\n\nThe end.` }])
      using window = start(at, columns, rows, 'write')
      await window.waitFor(/The end\.[\s\S]*› Ask/)
      for (const [width, height] of [
        [toColumns, toRows],
        [columns, rows],
      ] as const) {
        window.resize(width, height)
        await window.waitFor(/The end\.[\s\S]*› Ask/)
        await vi.waitFor(() => expect(marksIn(window.transcript())).toEqual(marks(40)), settling)
      }
    },
  )

  test.each([1, 2])('a storm of sizes at rest loses and doubles no line (seed %i)', async (seed) => {
    const next = random(seed)
    await using at = await place([{ text: `${paragraphs(40)}\n\nThe end.` }])
    using window = start(at, 100, 30, 'write')
    await window.waitFor(/The end\.[\s\S]*› Ask/)
    for (let sizes = 0; sizes < 25; sizes++) {
      window.resize(40 + next(100), 12 + next(34))
      await apart(next(4) === 0 ? 400 : next(60))
    }
    window.resize(100, 30)
    await window.waitFor(/The end\.[\s\S]*› Ask/)
    await window.waitFor(/sandbox/)
    await vi.waitFor(() => expect(marksIn(window.transcript())).toEqual(marks(40)), settling)
  })

  test.runIf(isLong).each(Array.from({ length: 20 }, (_, index) => index + 1))(
    'a storm of sizes while an answer arrives keeps each finished line once (seed %i)',
    async (seed) => {
      const next = random(seed)
      const text = `${paragraphs(200)}\n\nThe end.`
      await using at = await place([{ text, chunks: 800, delayMs: 5 }])
      using window = start(at, 100, 30, 'write')
      await window.waitFor(/B\d+;/)
      while (!/The end\./.test(window.screen().join('\n'))) {
        window.resize(50 + next(100), 16 + next(34))
        await apart(next(4) === 0 ? 400 : next(60))
      }
      window.resize(100, 30)
      await window.waitFor(/The end\.[\s\S]*› Ask/)
      await window.waitFor(/sandbox/)
      await vi.waitFor(() => {
        const transcript = window.transcript()
        expect(marksIn(transcript)).toEqual(marks(200))
        // The screen has one row of the composer and one of the status line.
        expect(transcript.filter((row) => /scripted|› /.test(row))).toHaveLength(2)
      }, settling)
    },
  )

  test('a long question stands once after other heights and back', async () => {
    await using at = await place([{ calls: [{ name: 'apply_patch', arguments: { patch } }] }, { text: 'Patched.' }])
    using window = start(at, 80, 24, 'go')
    await window.waitFor(/Make this change\?[\s\S]*Esc/)
    for (const rows of [16, 12, 30, 24]) {
      window.resize(80, rows)
      await window.waitFor(/Esc/)
    }
    await vi.waitFor(() => {
      const transcript = window.transcript().join('\n')
      expect(transcript.match(/Make this change\?[\s\S]*Esc/g)).toHaveLength(1)
      expect(transcript.match(/scripted/g)).toHaveLength(1)
    }, settling)
  })

  test('a long question leaves none of its rows behind at other widths', async () => {
    await using at = await place([{ calls: [{ name: 'apply_patch', arguments: { patch } }] }, { text: 'Patched.' }])
    using window = start(at, 80, 24, 'go')
    await window.waitFor(/Make this change\?[\s\S]*Esc/)
    for (const [columns, rows] of [
      [70, 24],
      [50, 20],
      [100, 30],
      [40, 12],
      [80, 24],
    ] as const) {
      window.resize(columns, rows)
      await window.waitFor(/Esc/)
    }
    await vi.waitFor(() => {
      const transcript = window.transcript().join('\n')
      expect(transcript.match(/Make this change\?/g)).toHaveLength(1)
      expect(transcript.match(/scripted/g)).toHaveLength(1)
    }, settling)
    window.press('Escape')
    await window.waitFor(/› /)
    await vi.waitFor(() => {
      const transcript = window.transcript().join('\n')
      expect(transcript.match(/▌ go/g)).toHaveLength(1)
      expect(transcript).not.toContain('Make this change?')
    }, settling)
  })
})
