import { join, relative } from 'node:path'
import { root } from './places.mjs'

/** @param {string} contents */
const source = (contents) => /** @type {const} */ ({ contents, resolveDir: root, loader: 'js' })
/** @param {string} module */
const quoted = (module) => JSON.stringify(`./${module}`)

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
  return replaced('part', ofOurs, (module) =>
    parts.has(module) ? `module.exports = parley.parts[${quoted(module)}]` : null,
  )
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
  return Object.keys(inputs).filter((module) => isOurs(module) && inputs[module].bytesInOutput > 0)
}

/** Returns true for the place of a source of ours, false for a package. */
export const isOurs = (module) => /^(?:apps|packages)\//.test(module)

/**
 * Replaces modules that are imported while a script runs by code that takes them from another script.
 * @param {RegExp} asked Paths to look at, as they are imported.
 * @param {(module: string, path: string) => boolean} isTaken
 */
export function takenLater(asked, isTaken) {
  return replaced('later', asked, (module, { kind, path }) =>
    kind === 'dynamic-import' && isTaken(module, path) ? `module.exports = parley.rest(${quoted(module)})` : null,
  )
}

/** Paths of imports between our sources. */
export const ofOurs = /^(?:\.|@parley\/)/

/**
 * Replaces modules that our sources import, where `codeOf` returns other code.
 * @param {string} namespace
 * @param {RegExp} asked Paths as they are imported: the bundler asks this process about each that fits, which takes longer
 *   than it needs for the module itself.
 * @param {(module: string, asked: Pick<import('esbuild').OnResolveArgs, 'kind' | 'path'>) => string | null} codeOf
 * @returns {import('esbuild').Plugin}
 */
function replaced(namespace, asked, codeOf) {
  return {
    name: namespace,
    setup(build) {
      /** @type {Map<string, Promise<string>>} */
      const inPackages = new Map()
      build.onResolve({ filter: asked }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (pluginData === resolving || isInPackage(importer)) return undefined
        if (!path.startsWith('.') && !inPackages.has(path))
          inPackages.set(path, moduleOf(build, path, { kind, resolveDir, pluginData: resolving }))
        const module = path.startsWith('.') ? placeIn(resolveDir, path) : await inPackages.get(path)
        const code = codeOf(module, { kind, path })
        return code === null ? undefined : { path: asScript(module), namespace, pluginData: code, sideEffects: false }
      })
      build.onLoad({ filter: /./, namespace }, ({ pluginData }) => ({ contents: pluginData, loader: 'js' }))
    },
  }
}

/** Relative imports of our sources name their file, with its ending. */
const placeIn = (folder, path) => relative(root, join(folder, path))

/** Resolves to the file that the bundler takes for a package. */
async function moduleOf(build, path, asked) {
  const found = await build.resolve(path, asked)
  return relative(root, found.path)
}

/** Returns true for files of packages, which do not import our modules. */
const isInPackage = (path) => /(?:^|[\\/])node_modules[\\/]/.test(relative(root, path))

/** Renames a file that would be taken for a module, whatever its code is. */
const asScript = (path) => path.replace(/\.mjs$/, '.js')

/** Marks a module that is being resolved, so that it is not asked for again. */
const resolving = Symbol('resolving')
