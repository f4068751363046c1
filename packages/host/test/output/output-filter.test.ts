import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { afterAll, expect, it } from 'vitest'
import { noSandbox, type OutputFilter, openHost } from '../../src/index.ts'
import { shellCommand } from '../waiting.ts'

const host = openHost()
afterAll(() => host.close())

/** Replaces "secret" and holds back what may be its beginning, which becomes "~" when the output is cut. */
function hidesTheWord(): OutputFilter {
  let held = ''
  const through = (text: string, isAll: boolean) => {
    const shown = text.replaceAll('secret', '*')
    const start = isAll ? -1 : shown.search(/s(e(c(r(et?)?)?)?)?$/)
    held = start < 0 ? '' : shown.slice(start)
    return Buffer.from(start < 0 ? shown : shown.slice(0, start))
  }
  return {
    push: (chunk) => through(held + chunk.toString(), false),
    end: (cut) => (cut ? Buffer.from('~') : through(held, true)),
  }
}

it.each([
  ['', 'a * bis se'],
  ['; exec >&- 2>&-; sleep 0.05', 'a * bis se'],
  ['; kill -9 $$', 'a * bis ~'],
  ['; exec >&- 2>&-; kill -9 $$', 'a * bis ~'],
  ['; exit 137', 'a * bis ~'],
])('memory, file and listener get what a filter passes on, to its end%s', async (after, shown) => {
  await using folder = await tempDirectory()
  const path = join(folder.path, 'spool')
  const heard: string[] = []
  // The pauses only make it likely that the parts arrive apart; the result is the same when they do not.
  const script = `printf 'a sec'; sleep 0.02; printf 'ret b'; sleep 0.02; printf 'is se'${after}`
  const { ended } = host.runCommand(
    { ...shellCommand(script), spool: { path }, filter: hidesTheWord() },
    { sandbox: noSandbox, onOutput: (chunk) => heard.push(chunk.toString()) },
  )
  const end = await ended
  expect(end.head.toString()).toBe(shown)
  expect(heard.join('')).toBe(shown)
  expect(readFileSync(path, 'utf8')).toBe(shown)
  expect(end).toMatchObject({ totalBytes: shown.length, spool: { bytes: shown.length, complete: true } })
})
