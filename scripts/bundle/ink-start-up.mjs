import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { yogaLoaderPath, yogaLoaderWithoutBinary } from './yoga-binary.mjs'

const here = (name) => join(import.meta.dirname, name)
const inkAndItsParts = /[\\/](ink|wrap-ansi|slice-ansi|cli-truncate|ansi-tokenize)[\\/].*\.js$/
const ownSources = /[\\/](apps|packages)[\\/][^\\/]+[\\/]src[\\/]/

/** Removes from Ink's start the work that it does not need then: half of its CPU time. */
export function inkStartUp() {
  return {
    name: 'ink-start-up',
    setup(build) {
      // The loader fetches its own data URL, and the first fetch loads all of undici: 48 ms.
      build.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, () => ({ contents: yogaLoaderWithoutBinary() }))
      build.onLoad({ filter: /yoga-layout[\\/]dist[\\/]src[\\/]index\.js$/ }, useOwnYogaLoader)
      build.onResolve({ filter: /^yoga-layout\/binary-loader$/ }, () => ({ path: yogaLoaderPath }))

      // It compiles \p{RGI_Emoji} at the first box-drawing character: 15-50 ms.
      build.onResolve({ filter: /^string-width$/ }, ({ importer }) =>
        ownSources.test(importer) ? undefined : { path: here('string-width.mjs') },
      )

      build.onLoad({ filter: inkAndItsParts }, trimStart)
    },
  }
}

async function useOwnYogaLoader({ path }) {
  const source = await readFile(path, 'utf8')
  const original = '../binaries/yoga-wasm-base64-esm.js'
  if (!source.includes(original)) throw new Error(`${path} no longer imports ${original}`)
  // A program that is one script waits for nothing while it loads.
  const waiting = 'await loadYoga()'
  if (!source.includes(waiting)) throw new Error(`${path} no longer says ${waiting}`)
  const contents = source.replace(original, here('yoga-loader.mjs')).replace(waiting, 'loadYoga()')
  return { contents, resolveDir: join(path, '..') }
}

async function trimStart({ path }) {
  const source = await readFile(path, 'utf8')
  // The development tools read browser globals as they load, and esbuild would keep them for a switch read at run time.
  const contents = source.replaceAll(`process.env['DEV'] === 'true'`, 'false')
  if (!contents.includes('new Intl.Segmenter(')) return { contents }
  // The first Intl.Segmenter, made while modules load, takes 9-16 ms.
  const lazy = contents.replaceAll('new Intl.Segmenter(', 'new LazySegmenter(')
  return { contents: `import { LazySegmenter } from ${JSON.stringify(here('lazy-segmenter.mjs'))};\n${lazy}` }
}
