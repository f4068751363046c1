import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serverNodeFlags } from '../../apps/tui/src/cli/early-arguments.ts'
import { distFolder } from './places.mjs'

/** Prints what V8 says of a cache of compiled code, when it is read as `run-script` reads it. */
const readCache = `
  const [codeFile, cacheFile] = process.argv.slice(1)
  const fs = process.getBuiltinModule('fs')
  const script = new (process.getBuiltinModule('vm').Script)(fs.readFileSync(codeFile, 'latin1'), {
    filename: codeFile,
    cachedData: fs.readFileSync(cacheFile),
  })
  console.log(script.cachedDataRejected ? 'rejected' : 'accepted')`

/** Caches of the last build, with the flags of Node under which each is read. */
const caches = [
  { name: 'a script', entry: 'parley', code: 'parley-code', flags: [] },
  { name: 'a first frame', entry: 'parley', code: 'parley-window', flags: [] },
  { name: 'a window', entry: 'parley', code: 'parley-rest', flags: [] },
  { name: 'a server that was started by hand', entry: 'server', code: 'server-code', flags: [] },
  { name: 'the parser of shell commands', entry: 'server', code: 'server-shell-parser', flags: [] },
  { name: 'a server of a client', entry: 'server', code: 'server-code', flags: serverNodeFlags },
]

test.each(caches)('V8 takes the cache of compiled code of $name', ({ entry, code, flags }) => {
  const [name = ''] = new RegExp(`${code}-\\w+`).exec(readFileSync(join(distFolder, `${entry}.mjs`), 'utf8')) ?? []
  const files = ['cjs', 'cache'].map((end) => join(distFolder, `${name}.${end}`))
  expect(globSync(files)).toEqual(files)
  const { stdout } = spawnSync(process.execPath, [...flags, '--eval', readCache, ...files], { encoding: 'utf8' })
  expect(stdout).toBe('accepted\n')
})

test('no script imports while it runs, which Node rejects there', () => {
  const entries = globSync(join(distFolder, '*.mjs')).map((file) => readFileSync(file, 'utf8'))
  const scripts = new Set(entries.flatMap((text) => text.match(/[a-z-]+-[A-Z0-9]{8}\.cjs/g) ?? []))
  expect(scripts.size).toBeGreaterThan(10)
  const importing = [...scripts].filter((name) => /[^\w$.]import\(/.test(readFileSync(join(distFolder, name), 'utf8')))
  expect(importing).toEqual([])
})
