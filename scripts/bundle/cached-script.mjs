import { join } from 'node:path'

/**
 * Replaces files, where they are loaded, by modules of this folder that run the code of such a file as a script.
 * @param {Readonly<Record<string, string>>} standIns Name of the module by the path of the file.
 */
export function cachedScripts(standIns) {
  return {
    name: 'cached-scripts',
    setup(build) {
      build.onResolve({ filter: /^\.\.?\/.+\.ts$/ }, ({ path, resolveDir }) => {
        const name = standIns[join(resolveDir, path)]
        return name === undefined ? undefined : { path: join(import.meta.dirname, name) }
      })
    },
  }
}
