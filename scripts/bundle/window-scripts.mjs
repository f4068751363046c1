import { relative } from 'node:path'
import { root } from './places.mjs'

/** @typedef {import('esbuild').BuildResult<{ metafile: true }>} Built */
/** @typedef {(name: string, options: import('esbuild').BuildOptions) => Promise<Built>} Bundle */

/**
 * Builds the code of a window as two scripts: what the first frame takes, and the rest, which is read when that is
 * painted. No module of ours is in both: the rest takes those of the first script from there.
 * @param {string} entry File that opens the window.
 * @param {Bundle} bundle
 */
export async function windowScripts(entry, bundle) {
  /** @type {Set<string>} */
  const later = new Set()
  const { window, parts } = await buildFirst([])
  const rest = await bundle('parley-rest', { stdin: source(restScript(later)), plugins: [takenFrom(new Set(parts))] })
  return { window, rest }

  /**
   * Builds the first script until it gives all its modules away: one that is given away is kept whole, which may take more.
   * @param {readonly string[]} given
   * @returns {Promise<{ window: Built, parts: readonly string[] }>}
   */
  async function buildFirst(given) {
    const options = { stdin: source(firstScript(entry, given)), plugins: [askedForLater(later)] }
    const window = await bundle('parley-window', options)
    const found = modulesIn(window)
    return found.every((module) => given.includes(module)) ? { window, parts: given } : buildFirst(found)
  }
}

/** @param {string} contents */
const source = (contents) => /** @type {const} */ ({ contents, resolveDir: root, loader: 'js' })
const quoted = (module) => JSON.stringify(`./${module}`)

function firstScript(entry, parts) {
  return [
    `export * from ${quoted(relative(root, entry))}`,
    ...parts.map((module, nth) => `import * as part${nth} from ${quoted(module)}`),
    `export const parts = {${parts.map((module, nth) => `${quoted(module)}: part${nth}`).join(',')}}`,
  ].join('\n')
}

function restScript(modules) {
  return [...modules].map((module) => `exports[${quoted(module)}] = () => require(${quoted(module)})`).join('\n')
}

/** Lists our modules that have code in a script. */
function modulesIn({ metafile }) {
  const [{ inputs }] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint !== undefined)
  return Object.keys(inputs).filter((module) => /^(apps|packages)\//.test(module) && inputs[module].bytesInOutput > 0)
}

/** Takes what is imported while the first script runs from the rest, and notes it. */
function askedForLater(noted) {
  return replaced('later', (module, kind) => {
    if (kind !== 'dynamic-import') return null
    noted.add(module)
    return `module.exports = parley.rest(${quoted(module)})`
  })
}

function takenFrom(parts) {
  return replaced('part', (module) => (parts.has(module) ? `module.exports = parley.parts[${quoted(module)}]` : null))
}

/** Replaces our modules for which `codeOf` returns other code. */
function replaced(namespace, codeOf) {
  return {
    name: namespace,
    setup(build) {
      build.onResolve(
        { filter: /^(\.|@parley\/)/ },
        async ({ path, kind, importer, resolveDir, pluginData, namespace: from }) => {
          if (pluginData === resolving) return undefined
          const asked = { kind, importer, resolveDir, namespace: from, pluginData: resolving }
          const found = await build.resolve(path, asked)
          const code = found.namespace === 'file' ? codeOf(relative(root, found.path), kind) : null
          return code === null ? found : { path: found.path, namespace, pluginData: code, sideEffects: false }
        },
      )
      build.onLoad({ filter: /./, namespace }, ({ pluginData }) => ({ contents: pluginData, loader: 'js' }))
    },
  }
}

/** Marks a module that is being resolved, so that it is not asked for again. */
const resolving = Symbol('resolving')
