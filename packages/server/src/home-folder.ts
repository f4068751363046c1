import { homedir } from 'node:os'
import { resolve } from 'node:path'

/** `$PARLEY_HOME`, or `.parley` in the user's home. An empty variable counts as none: it would mean the working folder. */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env['PARLEY_HOME'] || resolve(env['HOME'] || homedir(), '.parley'))
}
