import { accessSync, constants, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { ClientError } from '../connection/errors.ts'

/** Returns the command of `$PARLEY_BIN`, or of `parley` on the PATH. Throws `serverNotFound`. */
export function findServer(env: Readonly<Record<string, string | undefined>>): readonly [string, ...string[]] {
  const given = env['PARLEY_BIN']
  if (given !== undefined && given !== '') return [given, 'server']
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const program = folders.map((folder) => join(folder, 'parley')).find(isProgram)
  if (program !== undefined) return [program, 'server']
  throw new ClientError(
    'serverNotFound',
    'There is no `parley` on the PATH. Put it there, set PARLEY_BIN to it, or give `spawn.command`.',
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Returns `$PARLEY_HOME`, or `.parley` in the user's home; an empty variable counts as unset. */
export function parleyHome(env: Readonly<Record<string, string | undefined>>): string {
  const own = env['PARLEY_HOME']
  if (own !== undefined && own !== '') return resolve(own)
  return resolve(env['HOME'] || homedir(), '.parley')
}

/** Returns the file that keeps the prompts sent from terminals, one JSON line each. */
export function promptHistoryPath(home: string): string {
  return join(home, 'prompts.jsonl')
}
