import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import { setFlagsFromString } from 'node:v8'
import { constants, Script } from 'node:vm'

// Entry of a program whose code is one script with a cache of what V8 compiled of it. Node's own cache of modules has
// only what is compiled before they run: each start would compile all functions that it calls anew.
const file = join(import.meta.dirname, PARLEY_CODE)
// A window calls other code than a script, which would read the code of the window for nothing.
const cacheFile = file.replace(/\.cjs$/, isatty(0) && isatty(1) ? '.window.cache' : '.cache')
const { script, isRejected } = compile()
// Another Node, or none yet: the cache is made of what this run calls.
if (isRejected) process.once('exit', writeCache)
const module = { exports: {} }
script.runInThisContext()(module, module.exports, createRequire(file), file, import.meta.dirname)
// A program has one of the two: it runs as it is loaded, or is started by what loads it.
export const { running, start } = module.exports
await running

/** Compiles the code. The cache is not kept in memory: V8 copies what it takes. */
function compile() {
  const cachedData = readIfThere(cacheFile)
  const code = `(function(module,exports,require,__filename,__dirname){${readFileSync(file, 'latin1')}\n})`
  const script = new Script(code, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  return { script, isRejected: cachedData === undefined || script.cachedDataRejected === true }
}

function readIfThere(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function writeCache() {
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
