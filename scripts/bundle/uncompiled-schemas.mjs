import { readFile } from 'node:fs/promises'

const madeEmpty = '__zod_globalConfig = {}'
const madeUncompiled = '__zod_globalConfig = { jitless: true }'

/**
 * Keeps zod from compiling each schema at its first use, which takes as long as a thousand uses: 10 ms of a start. Sets
 * this inside zod, because it must hold before the first schema of any file is created.
 */
export function uncompiledSchemas() {
  return {
    name: 'uncompiled-schemas',
    setup(build) {
      build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]core\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8')
        if (!source.includes(madeEmpty)) throw new Error(`${path} no longer says ${madeEmpty}`)
        return { contents: source.replace(madeEmpty, madeUncompiled) }
      })
    },
  }
}
