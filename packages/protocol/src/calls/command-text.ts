import { joinShellWords } from '@parley/text'
import type { CallOutput } from '../schema/call-parts.ts'

/** Returns a command as one types it: the script passed to a shell, or else its words. */
export function typedCommand(argv: readonly string[]): string {
  const [program = '', flag = '', script] = argv
  const isScript = /(^|\/)(ba|z|da|k)?sh$/.test(program) && /^-l?c$/.test(flag) && script !== undefined
  return isScript ? script : joinShellWords(argv)
}

/** Returns the output of a command as one text; a line replaces the omitted part. */
export function outputText({ head, tail, omittedBytes, totalBytes, binary }: CallOutput): string {
  if (binary === true) return `(binary output, ${totalBytes} bytes)`
  return omittedBytes === 0 ? head + tail : `${head}\n[… ${omittedBytes} of ${totalBytes} bytes left out …]\n${tail}`
}
