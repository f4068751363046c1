import { basename } from 'node:path'
import { givingParts, isOurs, modulesIn, runningByName, takenFrom, takenLater } from './module-parts.mjs'

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
  /** @type {Map<string, { modules: readonly string[], built: Built }>} Later scripts by name. */
  const builtBefore = new Map()
  return buildGiving([])

  /**
   * Builds all scripts again until the first one exports every module that the others need: an exported module is kept
   * whole and may need further ones.
   * @param {readonly string[]} given
   * @returns {Promise<{ first: Built, rest: Readonly<Record<string, Built>>, scripts: ReadonlyMap<string, string> }>}
   */
  async function buildGiving(given) {
    const first = await bundle(name, { stdin: givingParts(entry, given), plugins: [takenFromOthers(null)] })
    const known = asked.size
    const parts = new Set(modulesIn(first))
    const built = Object.keys(later).map(
      async (script) => /** @type {const} */ ([script, await laterOf(script, parts)]),
    )
    const rest = Object.fromEntries(await Promise.all(built))
    const taken = Object.values(rest).flatMap(takenBy)
    const isWhole = asked.size === known && taken.every((module) => given.includes(module))
    // Modules are asked for in an order that differs from build to build.
    const scripts = new Map([...asked].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    return isWhole ? { first, rest, scripts } : buildGiving([...new Set([...given, ...taken])].toSorted())
  }

  /** Builds a later script, or returns the one that was built from the same modules. */
  async function laterOf(script, parts) {
    const modules = [...asked]
      .filter(([, place]) => place === script)
      .map(([module]) => module)
      .toSorted()
    const before = builtBefore.get(script)
    if (before?.modules.join() === modules.join() && takesSame(before.built, parts)) return before.built
    const options = { stdin: runningByName(modules), plugins: [takenFromOthers(script), takenFrom(parts)] }
    const built = await bundle(script, options)
    builtBefore.set(script, { modules, built })
    return built
  }

  /** Resolves an import during the run to the script that has the module, unless that is `own`. */
  function takenFromOthers(own) {
    return takenLater(endingIn([...scriptOf.keys()]), (module, path) => {
      const script = scriptOf.get(module) ?? scriptOf.get(path)
      if (script === undefined || script === own) return false
      asked.set(module, script)
      return true
    })
  }
}

/** Prefix of a module that a script takes from the first, in the list of what went into it. */
const fromFirst = 'part:'

/** Lists the modules that a script takes from the first. */
function takenBy({ metafile }) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs))
  return inputs
    .filter(([input, { bytesInOutput }]) => input.startsWith(fromFirst) && bytesInOutput > 0)
    .map(([input]) => input.slice(fromFirst.length))
}

/** Returns true when the modules that a script takes from the first one are exactly its modules in `parts`. */
function takesSame({ metafile }, parts) {
  return Object.keys(metafile.inputs).every((input) =>
    input.startsWith(fromFirst) ? parts.has(input.slice(fromFirst.length)) : !parts.has(input),
  )
}

/** Returns the filter for imports that may mean one of these files or packages. A file of ours may be asked for as a package. */
function endingIn(modules) {
  const ends = modules.map((module) => (isOurs(module) ? `/${basename(module)}` : module))
  return new RegExp(`^@parley/|(?:${ends.map((end) => end.replaceAll('.', '\\.')).join('|')})$`)
}
