import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { type Place, place } from './interactive-program.ts'
import { hasTmux, startInTmux, type TmuxWindow } from './tmux-program.ts'

vi.setConfig({ testTimeout: 60_000 })

function start(at: Place, ...argv: readonly string[]): TmuxWindow {
  const env = { ...at.home.env, TEST_KEY: 'key' }
  return startInTmux(at.command(...argv), { columns: 80, rows: 24, folder: at.folder.path, env })
}

const atRest = /The end\.[\s\S]*› Ask[\s\S]*(?:sandbox|asks)/

const calls = Array.from({ length: 230 }, (_, n) =>
  n === 100
    ? { name: 'shell', arguments: { command: 'cat long.txt' } }
    : { name: 'read_file', arguments: { path: n % 2 === 0 ? 'a.txt' : './a.txt' } },
)

describe.skipIf(!hasTmux())('the transcript view in tmux', () => {
  test('shows what resume did not print, searches, copies, and leaves the scrollback as it was', async () => {
    await using at = await place([
      { text: 'It begins with these words.', calls: calls.slice(0, 120) },
      { text: 'The middle.', calls: calls.slice(120) },
      { text: 'The end.' },
    ])
    const long = Array.from({ length: 100_000 }, (_, n) => `line ${n}\n`).join('')
    writeFileSync(join(at.folder.path, 'long.txt'), long)
    {
      using first = start(at, 'do it')
      await first.waitFor(atRest)
    }
    using window = start(at, 'resume', '--last')
    await window.waitFor(atRest)
    const before = window.transcript()
    expect(before.join('\n')).toMatch(/… \d+ earlier \(Ctrl\+T\)/)
    expect(before.join('\n')).not.toContain('It begins')

    window.press('C-t')
    await window.waitFor(/end · q leaves/)
    for (let pages = 0; pages < 200 && !window.screen().join('\n').includes('It begins'); pages++) window.press('PPage')
    await window.waitFor(/do it[\s\S]*It begins with these words\.[\s\S]*beginning · q leaves/)

    window.type('/middle')
    window.press('Enter')
    await window.waitFor(/┃ The middle\./)
    window.press('c')
    await window.waitFor(/Copied the item \(11 B, 1 line\) to the terminal/)
    expect(window.clipboard()).toBe('The middle.')

    window.type('/cat long.txt')
    window.press('Enter')
    await window.waitFor(/┃ .*cat long\.txt[\s\S]*┃ +line 0 *\n/)
    window.type('/line 77777')
    window.press('Enter')
    await window.waitFor(/┃ +line 77777 *\n/)

    window.type('q')
    await vi.waitFor(() => expect(window.transcript()).toEqual(before), { timeout: 30_000, interval: 200 })
  })
})
