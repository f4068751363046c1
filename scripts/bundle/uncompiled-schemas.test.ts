import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from './places.mjs'
import { uncompiledSchemas } from './uncompiled-schemas.mjs'

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
