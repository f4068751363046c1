import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EnvVariables, homeFolder } from './folders.ts'

/** Returns true if the terminal moves no cursor, or the command line asks for plain lines. */
export function isPlainAsked(wantsPlain: boolean, env: EnvVariables): boolean {
  return wantsPlain || env['TERM'] === 'dumb'
}

/**
 * Returns true if the session may be plain, so that nothing is drawn before the configuration was read. Only looks for
 * the word: the server reads the configuration, and that takes longer than the first frame may.
 */
export function mayBePlain(argv: readonly string[], env: EnvVariables): boolean {
  if (isPlainAsked(argv.includes('--plain'), env)) return true
  return argv.some((word) => /\btui\b/.test(word)) || /\bplain\b/.test(configText(env))
}

/** Returns the user's configuration as text; empty without one. */
function configText(env: EnvVariables): string {
  try {
    return readFileSync(join(homeFolder(env), 'config.toml'), 'utf8')
  } catch {
    // The server reports a home or a file that cannot be read.
    return ''
  }
}
