import { userInfo } from 'node:os'
import { join } from 'node:path'
import { exitCodes } from './exit-codes.ts'
import { ParleyError } from './parley-error.ts'
import { fromWorkingFolder } from './working-folder.ts'

/** `$PARLEY_HOME`, or `.parley` in the user's home. An empty variable counts as none: it would mean the working folder. */
export function homeFolder(env: Readonly<Record<string, string | undefined>>, accountHome = homeOfAccount): string {
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

/** Null for a user id without an account, as containers have them. */
function homeOfAccount(): string | null {
  try {
    return userInfo().homedir
  } catch {
    return null
  }
}
