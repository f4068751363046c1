import { closeSync } from 'node:fs'
import { openAnonymousFile, openToAppend, readAnonymousFile } from '../anonymous-file.ts'
import type { SandboxWatch } from '../sandbox.ts'

export interface Status {
  /** For the script, which writes to it when only the command itself can go wrong. */
  readonly writeFd: number
  readonly watch: SandboxWatch
}

export function openStatus(): Status {
  const file = openAnonymousFile()
  const watch = {
    innerGroup: () => null,
    outcome: () => ({ ran: readAnonymousFile(file, 1) !== '', leftovers: 0 }),
    close: () => closeSync(file),
  }
  try {
    return { writeFd: openToAppend(file), watch }
  } catch (error) {
    closeSync(file)
    throw error
  }
}
