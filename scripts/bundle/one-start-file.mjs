import { relative } from 'node:path'
import { root } from './places.mjs'

/**
 * Keeps all that a program loads at its start in one file. The bundler would make one for each set of lazy parts that
 * share some of it, and a start would read dozens of small files. Each lazy part therefore imports the whole start, which
 * is loaded long before.
 * @param {string} starter File that the entry point loads first, by a dynamic import.
 * @param {readonly string[]} start Paths of files that `starter` loads; none has a top-level await.
 */
export function oneStartFile(starter, start) {
  return {
    name: 'one-start-file',
    setup(build) {
      build.onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === resolving) return undefined
        const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: resolving })
        const isLazy = !found.external && found.errors.length === 0 && found.path !== starter
        return isLazy ? { path: relative(root, found.path), namespace: 'lazy', pluginData: found.path } : found
      })
      build.onLoad({ filter: /./, namespace: 'lazy' }, ({ pluginData: path }) => ({
        contents: [...start.map(importOf), `export * from ${JSON.stringify(path)}`].join('\n'),
        resolveDir: '/',
      }))
    },
  }
}

const resolving = Symbol('resolving')
const importOf = (path) => `import ${JSON.stringify(path)}`
