import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildFolder } from './places.mjs'

/** File that lists the modules with code in each script of the last build. */
export const moduleRecord = join(buildFolder, 'modules.json')

/**
 * @typedef {object} SplitProgram
 * @property {import('esbuild').BuildResult<{ metafile: true }>} first
 * @property {Readonly<Record<string, import('esbuild').BuildResult<{ metafile: true }>>>} later
 * @property {Readonly<Record<string, string>>} [scriptOf] Script of each module that is imported later.
 */

/**
 * Writes the modules of each script.
 * @param {Readonly<Record<string, SplitProgram>>} programs
 */
export function recordModules(programs) {
  const all = Object.entries(programs).map(([name, { first, later, scriptOf }]) => {
    const modules = Object.fromEntries(Object.entries(later).map(([script, built]) => [script, modulesOf(built)]))
    return [name, { first: modulesOf(first), later: modules, scriptOf }]
  })
  mkdirSync(buildFolder, { recursive: true })
  writeFileSync(moduleRecord, JSON.stringify(Object.fromEntries(all), null, 1))
}

/** Lists the files with code in a script. Files that only re-export have no code. */
function modulesOf({ metafile }) {
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => !/^[<]|:/.test(path) && inputs[path].bytesInOutput > 0),
  )
}
