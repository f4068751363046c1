import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { homeFolder } from './folders.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns true if the terminal moves no cursor, or the command line asks for plain lines. */
export function isPlainAsked(wantsPlain: boolean, env: Environment): boolean {
  return wantsPlain || env['TERM'] === 'dumb'
}

/**
 * Returns true if the session may have to be plain, so that nothing is drawn before the configuration was read. Looks for
 * the word only: the server reads the configuration, and that takes longer than the first frame may.
 */
export function mayBePlain(argv: readonly string[], env: Environment): boolean {
  if (isPlainAsked(argv.includes('--plain'), env)) return true
  return argv.some((word) => /\btui\b/.test(word)) || /\bplain\b/.test(configText(env))
}

/** Returns the user's configuration as text; empty where there is none. */
function configText(env: Environment): string {
  try {
    return readFileSync(join(homeFolder(env), 'config.toml'), 'utf8')
  } catch {
    // The server says what is wrong with a home or a file that cannot be read.
    return ''
  }
}
