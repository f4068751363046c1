import { isAbsolute, resolve } from 'node:path'
import { misused } from './parley-error.ts'

/** The folder that the command was typed in. Throws the sentence for the user where that folder is gone. */
export function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    throw misused(
      'The folder that this was started in has been deleted or moved, so nothing can be done in it. Change to a folder that exists and start again.',
    )
  }
}

/** A path as it was typed, made absolute. Throws like `workingFolder`, but only for a path that begins there. */
export function fromWorkingFolder(path: string, here = workingFolder): string {
  return isAbsolute(path) ? resolve(path) : resolve(here(), path)
}
