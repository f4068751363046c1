/**
 * Keeps what a program loads at its start in one file: else the bundler makes one for each set of lazy parts that share
 * some of it, and a start reads dozens of small files. So each lazy part says that it needs all of the start, which is
 * loaded long before it is.
 * @param {string} starter The file that the entry point loads first of all, lazily itself.
 * @param {readonly string[]} start Files that `starter` loads: paths, none of which waits while it loads.
 */
export function oneStartFile(starter, start) {
  return {
    name: 'one-start-file',
    setup(build) {
      build.onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === resolving) return undefined
        const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: resolving })
        const isLazy = !found.external && found.errors.length === 0 && found.path !== starter
        return isLazy ? { path: found.path, namespace: 'lazy' } : found
      })
      build.onLoad({ filter: /./, namespace: 'lazy' }, ({ path }) => ({
        contents: [...start.map(importOf), `export * from ${JSON.stringify(path)}`].join('\n'),
        resolveDir: '/',
      }))
    },
  }
}

const resolving = Symbol('resolving')
const importOf = (path) => `import ${JSON.stringify(path)}`
