import type { ParsedCommand } from './event-msg.ts'

/** An argv as one would type it: a word that a shell would read differently stands in quotes. */
export function shellJoined(argv: readonly string[]): string {
  return argv.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** What a client shows of a command: the script a shell is given, or else the words. */
export function parsedCommand(argv: readonly string[]): readonly ParsedCommand[] {
  const [program = '', flag = '', script] = argv
  const isScript = /(^|\/)(ba|z|da|k)?sh$/.test(program) && /^-l?c$/.test(flag) && script !== undefined
  return [{ type: 'unknown', cmd: isScript ? script : shellJoined(argv) }]
}
