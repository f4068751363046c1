import { join } from 'node:path'

/**
 * Replaces the file that has all code of a program, where its entry loads it, by `cached-start.mjs`.
 * @param {string} code Path of the file.
 */
export function cachedScript(code) {
  return {
    name: 'cached-script',
    setup(build) {
      build.onResolve({ filter: /\/start\.ts$/ }, ({ path, resolveDir }) =>
        join(resolveDir, path) === code ? { path: join(import.meta.dirname, 'cached-start.mjs') } : undefined,
      )
    },
  }
}
