import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { expect, test } from 'vitest'
import { oneStartFile } from './one-start-file.mjs'
import { root } from './places.mjs'
import { uncompiledSchemas } from './uncompiled-schemas.mjs'

/** A program with two lazy parts, which share different files with its start. */
const sources = {
  'bin.js': `await import('./start.js')`,
  'start.js': `import { serve } from './serve.js'; await serve()`,
  'serve.js': `import { one } from './one.js'; import { two } from './two.js'; import { both } from './both.js'
    export const serve = async () => console.log(one, two, both, await import('./lazy-one.js'), await import('./lazy-two.js'))`,
  'lazy-one.js': `import { one } from './one.js'; import { both } from './both.js'; export const here = one + both`,
  'lazy-two.js': `import { two } from './two.js'; import { both } from './both.js'; export const there = two + both`,
  'one.js': `export const one = { name: 'one' }`,
  'two.js': `export const two = { name: 'two' }`,
  'both.js': `export const both = { name: 'both' }`,
}

test('what a program loads at its start is one file, whatever its lazy parts share', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bundle-'))
  try {
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text)
    const bundled = (plugins: Plugin[]) => filesOfStart(join(folder, 'bin.js'), plugins)
    expect(await bundled([])).toHaveLength(4)
    const [starter, ...rest] = await bundled([oneStartFile(join(folder, 'start.js'), [join(folder, 'serve.js')])])
    expect(starter).toContain('start')
    expect(rest).toHaveLength(1)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** The chunk of `start.js` and all that it imports before it runs. */
async function filesOfStart(entry: string, plugins: Plugin[]): Promise<string[]> {
  const common = { bundle: true, splitting: true, format: 'esm', write: false, metafile: true } as const
  const { outputs } = (await build({ ...common, entryPoints: [entry], outdir: root, platform: 'node', plugins }))
    .metafile
  const found = Object.keys(outputs).filter((path) => /[\\/]start-\w+\.js$/.test(`/${path}`))
  for (const path of found) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && !found.includes(imported)) found.push(imported)
  }
  return found
}

test('schemas of the bundles are made uncompiled, in whatever order their files are loaded', async () => {
  const contents = `import * as z from 'zod'; export const config = { ...z.config() }`
  const stdin = { contents, resolveDir: join(root, 'packages/protocol') }
  const result = await build({ bundle: true, format: 'esm', write: false, plugins: [uncompiledSchemas()], stdin })
  const bundled = Buffer.from(result.outputFiles[0]?.contents ?? []).toString('base64')
  const known = Reflect.get(globalThis, '__zod_globalConfig')
  Reflect.deleteProperty(globalThis, '__zod_globalConfig')
  try {
    const { config } = await import(`data:text/javascript;base64,${bundled}`)
    expect(config.jitless).toBe(true)
  } finally {
    Reflect.set(globalThis, '__zod_globalConfig', known)
  }
})
