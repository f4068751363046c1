import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

/**
 * Runs a script that lies beside the program, with a cache of what V8 compiled of it. Returns what the script exports.
 * Node's own cache of modules has only what is compiled before they run: each start would compile all functions that it
 * calls anew.
 * @param {string} name
 * @param {Readonly<Record<string, unknown>>} [parley] What the script takes of others, as `parley`.
 * @param {(save: () => void, isMissing: boolean) => void} [saveLater] Has a cache that is missing or rejected saved, with
 * what was called by then.
 */
export function runScript(name, parley, saveLater = (save) => process.once('exit', save)) {
  const file = join(import.meta.dirname, name)
  const cacheFile = file.replace(/\.cjs$/, '.cache')
  const { script, isMissing, isRejected } = compile(file, cacheFile)
  // Another Node, or none yet: the cache is made of what this run calls.
  if (isMissing || isRejected) saveLater(() => writeCache(script, cacheFile), isMissing)
  const module = { exports: {} }
  script.runInThisContext()(module, module.exports, createRequire(file), file, import.meta.dirname, parley)
  return module.exports
}

/** Compiles the code. The cache is not kept in memory: V8 copies what it takes. */
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
