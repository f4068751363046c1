import { relative } from 'node:path'
import { givingParts, modulesIn, quoted, replaced, runningByName, takenFrom } from './module-parts.mjs'
import { root } from './places.mjs'

/** @typedef {import('esbuild').BuildResult<{ metafile: true }>} Built */
/** @typedef {(name: string, options: import('esbuild').BuildOptions) => Promise<Built>} Bundle */
/** @typedef {Readonly<Record<string, readonly string[]>>} Later */

/**
 * Builds the code of a program as one script and later ones, each read when something of it is imported. No module of
 * ours is in the first and in a later one, which takes it from the first.
 * @param {string} name Name of the first script.
 * @param {string} entry
 * @param {Later} later What each later script is read for, by its name: files of ours, and packages as they are imported.
 * @param {Bundle} bundle
 */
export async function splitScript(name, entry, later, bundle) {
  const scriptOf = new Map(Object.entries(later).flatMap(([script, modules]) => modules.map((one) => [one, script])))
  /** @type {Map<string, string>} Script of each module that is asked for. */
  const asked = new Map()
  return buildGiving([])

  /**
   * Builds all scripts until the first gives away what the others take: a module that is given is kept whole, which may
   * take more.
   * @param {readonly string[]} given
   * @returns {Promise<{ first: Built, rest: Readonly<Record<string, Built>>, scripts: ReadonlyMap<string, string> }>}
   */
  async function buildGiving(given) {
    const first = await bundle(name, { stdin: givingParts(entry, given), plugins: [takenLater(null)] })
    const known = asked.size
    const parts = new Set(modulesIn(first))
    const built = Object.keys(later).map(async (script) => {
      const modules = [...asked].filter(([, place]) => place === script).map(([module]) => module)
      const options = { stdin: runningByName(modules), plugins: [takenLater(script), takenFrom(parts)] }
      return /** @type {const} */ ([script, await bundle(script, options)])
    })
    const rest = Object.fromEntries(await Promise.all(built))
    const taken = Object.values(rest).flatMap(takenBy)
    const isWhole = asked.size === known && taken.every((module) => given.includes(module))
    return isWhole ? { first, rest, scripts: asked } : buildGiving([...new Set([...given, ...taken])].toSorted())
  }

  /** Takes what is imported while the program runs from its script, unless that is `own`. */
  function takenLater(own) {
    const codeOf = (module, _kind, path) => {
      const script = scriptOf.get(module) ?? scriptOf.get(path)
      if (script === undefined || script === own) return null
      asked.set(module, script)
      return `module.exports = parley.rest(${quoted(module)})`
    }
    return replaced('later', codeOf, ({ path, kind }) => kind === 'dynamic-import' && !path.startsWith('node:'))
  }
}

/** Lists the modules that a script takes from the first. */
function takenBy({ metafile }) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs))
  return inputs
    .filter(([input, { bytesInOutput }]) => input.startsWith('part:') && bytesInOutput > 0)
    .map(([input]) => relative(root, input.slice('part:'.length)))
}
