import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

/**
 * Runs a script that lies beside the program, with V8's cache of its compiled code. Returns the exports of the script.
 * Node's own cache of modules has only functions compiled before the run: each start would compile all functions that it
 * calls anew.
 * @param {string} name
 * @param {Readonly<Record<string, unknown>>} [parley] Modules of other scripts that the script uses, as `parley`.
 * @param {(save: () => void, isMissing: boolean) => void} [saveLater] Saves a missing or rejected cache, with the functions
 * called so far.
 */
export function runScript(name, parley, saveLater = (save) => process.once('exit', save)) {
  const file = join(import.meta.dirname, name)
  const cacheFile = file.replace(/\.cjs$/, '.cache')
  const { script, isMissing, isRejected } = compile(file, cacheFile)
  // The cache is of another Node, or missing: it is made from the functions that this run calls.
  if (isMissing || isRejected) saveLater(() => writeCache(script, cacheFile), isMissing)
  const module = { exports: {} }
  script.runInThisContext()(module, module.exports, createRequire(file), file, import.meta.dirname, parley)
  return module.exports
}

/** Compiles the code. The cache is not kept in memory, because V8 copies it. */
function compile(file, cacheFile) {
  const cachedData = readIfThere(cacheFile)
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
  return { script, isMissing: cachedData === undefined, isRejected: script.cachedDataRejected === true }
}

function readIfThere(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function writeCache(script, cacheFile) {
  const fresh = `${cacheFile}.${process.pid}`
  try {
    // A cache counts only under the flags it was made with; `policy/src/shell/parse-shell.ts` has changed these two.
    setFlagsFromString('--wasm-tier-up')
    setFlagsFromString('--wasm-dynamic-tiering')
    writeFileSync(fresh, script.createCachedData())
    renameSync(fresh, cacheFile)
  } catch {
    // Without write access there is no cache.
  }
}
