import { relative } from 'node:path'
import { root } from './places.mjs'

/** @param {string} contents */
const source = (contents) => /** @type {const} */ ({ contents, resolveDir: root, loader: 'js' })
/** @param {string} module */
export const quoted = (module) => JSON.stringify(`./${module}`)

/**
 * Writes the entry of a script that others take modules from while it runs: it has run all of them before.
 * @param {string} entry File that the script is.
 * @param {readonly string[]} parts
 */
export function givingParts(entry, parts) {
  return source(
    [
      `export * from ${quoted(relative(root, entry))}`,
      ...parts.map((module, nth) => `import * as part${nth} from ${quoted(module)}`),
      `export const parts = {${parts.map((module, nth) => `${quoted(module)}: part${nth}`).join(',')}}`,
    ].join('\n'),
  )
}

/**
 * Takes modules from the script that gives them.
 * @param {ReadonlySet<string>} parts
 */
export function takenFrom(parts) {
  return replaced('part', (module) => (parts.has(module) ? `module.exports = parley.parts[${quoted(module)}]` : null))
}

/**
 * Writes the entry of a script that runs its modules one by one, each when it is asked for by name.
 * @param {Iterable<string>} modules
 */
export function runningByName(modules) {
  return source(
    [...modules].map((module) => `exports[${quoted(module)}] = () => require(${quoted(module)})`).join('\n'),
  )
}

/**
 * Lists our modules that have code in a script.
 * @param {{ metafile: import('esbuild').Metafile }} built
 */
export function modulesIn({ metafile }) {
  const [{ inputs }] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint !== undefined)
  return Object.keys(inputs).filter((module) => /^(apps|packages)\//.test(module) && inputs[module].bytesInOutput > 0)
}

/** Paths by which our sources import each other. */
export const ofOurs = /^(?:\.|@parley\/)/

/**
 * Replaces modules that our sources import, where `codeOf` returns other code.
 * @param {string} namespace
 * @param {(module: string, asked: Pick<import('esbuild').OnResolveArgs, 'kind' | 'path'>) => string | null} codeOf
 * @param {Looks} looks
 * @returns {import('esbuild').Plugin}
 */
export function replaced(namespace, codeOf, { filter = ofOurs, only = null } = {}) {
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter }, async ({ path, kind, importer, resolveDir, pluginData, namespace: from }) => {
        if (pluginData === resolving || (only !== null && kind !== only) || isInPackage(importer)) return undefined
        const asked = { kind, importer, resolveDir, namespace: from, pluginData: resolving }
        const found = await build.resolve(path, asked)
        const module = relative(root, found.path)
        const code = found.namespace === 'file' ? codeOf(module, { kind, path }) : null
        return code === null ? found : { path: asScript(module), namespace, pluginData: code, sideEffects: false }
      })
      build.onLoad({ filter: /./, namespace }, ({ pluginData }) => ({ contents: pluginData, loader: 'js' }))
    },
  }
}

/**
 * Imports to look at, by path and kind. The bundler asks this process about each path, which is half of a build's time.
 * @typedef {{ filter?: RegExp, only?: import('esbuild').ImportKind }} Looks
 */

/** Returns true for files of packages, which import none of our modules. */
const isInPackage = (path) => /(?:^|[\\/])node_modules[\\/]/.test(relative(root, path))

/** Renames a file that would be taken for a module, whatever its code is. */
const asScript = (path) => path.replace(/\.mjs$/, '.js')

/** Marks a module that is being resolved, so that it is not asked for again. */
const resolving = Symbol('resolving')
