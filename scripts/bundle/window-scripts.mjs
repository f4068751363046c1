import { givingParts, modulesIn, ofOurs, runningByName, takenFrom, takenLater } from './module-parts.mjs'

/** @typedef {import('esbuild').BuildResult<{ metafile: true }>} Built */
/** @typedef {(name: string, options: import('esbuild').BuildOptions) => Promise<Built>} Bundle */

/**
 * Builds the code of a window as two scripts: the code of the first frame, and the rest, which is read after that
 * frame. No module of ours is in both: the rest imports modules of the first script from there.
 * @param {string} entry File that opens the window.
 * @param {Bundle} bundle
 */
export async function windowScripts(entry, bundle) {
  /** @type {Set<string>} */
  const later = new Set()
  const { window, parts } = await buildFirst([])
  const options = { stdin: runningByName([...later].toSorted()), plugins: [takenFrom(new Set(parts))] }
  return { window, rest: await bundle('parley-rest', options) }

  /**
   * Builds the first script until it gives all its modules away: one that is given away is kept whole, which may take more.
   * @param {readonly string[]} given
   * @returns {Promise<{ window: Built, parts: readonly string[] }>}
   */
  async function buildFirst(given) {
    const options = { stdin: givingParts(entry, given), plugins: [askedForLater(later)] }
    const window = await bundle('parley-window', options)
    const found = modulesIn(window)
    return found.every((module) => given.includes(module)) ? { window, parts: given } : buildFirst(found)
  }
}

/** Resolves imports during the run of the first script to the rest, and records them. */
function askedForLater(noted) {
  return takenLater(ofOurs, (module) => {
    noted.add(module)
    return true
  })
}
