import { runScript } from './run-script.mjs'

// Stands in for the file that has all code of a program, which runs as one script. Packages that few runs need lie in
// scripts of their own, which are read when one is imported.
const loaded = new Map()

/** Returns a module of a later script. */
function moduleOf(name) {
  const script = PARLEY_LATER[name]
  if (!loaded.has(script)) loaded.set(script, runScript(script, { rest: moduleOf, parts: code.parts }, saveIfMissing))
  return loaded.get(script)[name]()
}

/** Keeps a cache that was rejected: flags of V8 that changed since the start reject each. */
function saveIfMissing(save, isMissing) {
  if (isMissing) process.once('exit', save)
}

const code = runScript(PARLEY_CODE, { rest: moduleOf })
export const { main, start } = code
