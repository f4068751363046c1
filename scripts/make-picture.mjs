/**
 * Makes docs/demo.svg, the picture in the README, from a real run: `parley demo` on a real pty, stopped at the patch it
 * asks about. Run it with `npm run picture` after something on the screen changed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPty } from '@parley/testkit'
import { readCells } from './picture/cells.mjs'
import { drawSvg } from './picture/svg.mjs'

const size = { cols: 92, rows: 46 }
const root = join(import.meta.dirname, '..')
const home = mkdtempSync(join(tmpdir(), 'parley-picture-'))

const env = { PATH: process.env.PATH, HOME: home, PARLEY_HOME: join(home, '.parley'), LANG: 'C.UTF-8' }
const pty = startPty({ argv: [join(root, 'parley'), 'demo'], env, cwd: root, ...size })
try {
  await pty.waitFor(/node --test[\s\S]*1[.) ]/, { timeoutMs: 60_000 })
  await answer(/\+.*100/)
  const rows = await readCells(pty.rawBytes(), size)
  writeFileSync(join(root, 'docs/demo.svg'), drawSvg(rows))
  console.log('wrote docs/demo.svg')
} finally {
  await pty[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
}

/** Says yes until the screen shows what was waited for; a prompt takes keys only once it has been there a moment. */
async function answer(shown) {
  for (let tries = 0; tries < 40; tries++) {
    if (shown.test(pty.screen().join('\n'))) return
    pty.write('1')
    await pty.waitFor(shown, { timeoutMs: 700 }).catch(() => undefined)
  }
  throw new Error(`the demo did not come to ${shown}:\n${pty.screen().join('\n')}`)
}
