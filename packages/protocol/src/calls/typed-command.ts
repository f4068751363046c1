import { joinShellWords } from '@parley/text'

/** Returns a command as one types it: the script passed to a shell, or else its words. */
export function typedCommand(argv: readonly string[]): string {
  const [program = '', flag = '', script] = argv
  const isScript = /(^|\/)(ba|z|da|k)?sh$/.test(program) && /^-l?c$/.test(flag) && script !== undefined
  return isScript ? script : joinShellWords(argv)
}
