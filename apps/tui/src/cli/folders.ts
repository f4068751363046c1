import { existsSync, realpathSync } from 'node:fs'
import { userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { exitCodes, misused, ParleyError } from './exit-codes.ts'

export type EnvVariables = Readonly<Record<string, string | undefined>>

/** Returns `$PARLEY_HOME`, or `.parley` in the user's home. An empty variable counts as unset. */
export function homeFolder(env: EnvVariables, accountHome = homeOfAccount): string {
  const own = env['PARLEY_HOME']
  if (own !== undefined && own !== '') return fromWorkingFolder(own)
  const home = env['HOME'] || accountHome()
  if (home === null || home === '') {
    throw new ParleyError(
      'noHome',
      exitCodes.usage,
      'There is no home folder to keep conversations in. Set PARLEY_HOME.',
    )
  }
  return join(fromWorkingFolder(home), '.parley')
}

/** Returns the user's home, for paths that begin with `~`; empty for a user without one. */
export function userFolder(env: EnvVariables = process.env, accountHome = homeOfAccount): string {
  return env['HOME'] || accountHome() || ''
}

/** Returns the account's home; null for a user id without an account, as in containers. */
function homeOfAccount(): string | null {
  try {
    return userInfo().homedir
  } catch {
    return null
  }
}

/** Returns the folder the command was typed in. Throws a usage error if the folder is gone. */
export function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    throw misused(
      'The folder that this was started in has been deleted or moved, so nothing can be done in it. Change to a folder that exists and start again.',
    )
  }
}

/** Folder that a request names, here or in an environment. */
export interface NamedFolder {
  readonly cwd: string
  readonly environment?: string
}

/** Returns the folder of a request: `--cd` from the working folder on, in an environment from the folder of its settings. */
export function folderOf(cd: string | undefined, environment: string | undefined): NamedFolder {
  if (environment !== undefined) return { cwd: cd ?? '.', environment }
  return { cwd: cd === undefined ? workingFolder() : fromWorkingFolder(cd) }
}

/** Makes a typed path absolute. Throws as `workingFolder` does, but only for relative paths. */
export function fromWorkingFolder(path: string, here = workingFolder): string {
  return isAbsolute(path) ? resolve(path) : resolve(here(), path)
}

/** Returns the real path, or the absolute path of a missing file. */
export function realOrGiven(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

/** Returns the absolute path of a new file. Throws a usage error for an existing one. */
export function newFilePath(path: string): string {
  const file = fromWorkingFolder(path)
  if (existsSync(file)) throw misused(`${file} exists already. Name another file with -o.`)
  return file
}
