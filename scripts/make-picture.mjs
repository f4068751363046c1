/**
 * Makes docs/demo.svg, the picture in the README, from a real run: `parley demo` on a real pty, stopped at the patch it
 * asks about. Run it with `npm run picture` after something on the screen changed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startPty } from '../packages/testkit/src/pty.ts'
import { readCells } from './picture/cells.mjs'
import { drawSvg } from './picture/svg.mjs'

const size = { cols: 92, rows: 70 }
const root = join(import.meta.dirname, '..')
const home = mkdtempSync(join(tmpdir(), 'parley-picture-'))

const env = { PATH: process.env.PATH, HOME: home, PARLEY_HOME: join(home, '.parley'), LANG: 'C.UTF-8' }
const pty = startPty({ argv: [join(root, 'parley'), 'demo'], env, cwd: root, ...size })
try {
  await pty.waitFor(/Run this command[\s\S]*y {2}yes/, { timeoutMs: 60_000 })
  // A prompt takes keys only once it has been on the screen for a moment.
  await setTimeout(1000)
  pty.write('y')
  await pty.waitFor(/Make this change[\s\S]*y {2}yes/, { timeoutMs: 20_000 })
  writeFileSync(join(root, 'docs/demo.svg'), drawSvg(await readCells(pty.rawBytes(), size)))
  console.log('wrote docs/demo.svg')
} finally {
  await pty[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
}
