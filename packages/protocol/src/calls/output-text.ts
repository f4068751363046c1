import type { Output } from '../schema/item.ts'

/** Returns the output of a command as one text, with a line in place of what is left out. */
export function outputText({ head, tail, omittedBytes, totalBytes, binary }: Output): string {
  if (binary === true) return `(binary output, ${totalBytes} bytes)`
  return omittedBytes === 0 ? head + tail : `${head}\n[… ${omittedBytes} of ${totalBytes} bytes left out …]\n${tail}`
}
