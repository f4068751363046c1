import { accessSync, constants, statSync } from 'node:fs'

/**
 * Whether a file of this machine can be started. Not handed to the thread pool: every folder of the search path is asked
 * for every name of a command, most of them in vain, and an error made for each of those would be half the cost of a
 * decision.
 */
export function isProgram(path: string): boolean {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
