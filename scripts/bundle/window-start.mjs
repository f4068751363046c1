import { runScript } from './run-script.mjs'

// Stands in for the file that opens a window. The rest of the program is read when the window has been painted.
let rest = null
let saveCache = () => undefined

/** Returns a module of the rest. */
function moduleOf(name) {
  if (rest === null) {
    // A cache of all that a session calls would be read before the first frame.
    saveCache()
    rest = runScript(PARLEY_REST, { parts: window.parts })
  }
  return rest[name]()
}

const window = runScript(PARLEY_WINDOW, { rest: moduleOf }, (save) => {
  saveCache = save
})
export const { startInWindow } = window
