import { createInterface } from 'node:readline'
import { cleanInput } from '@parley/presentation/text/control-characters'

interface LineListener {
  /** Takes a line without its end; lines of one paste are joined by line ends. */
  readonly onLine: (text: string) => void
  /** Called when the input has ended, by Ctrl+D or with the terminal. */
  readonly onEnd: () => void
}

/** Time for further lines of the same paste: the terminal delivers one line at a time. */
const pasteMs = 30

/** Reads lines from the terminal, which echoes and edits them itself. Disposing stops it. */
export function readLines(input: NodeJS.ReadableStream, { onLine, onEnd }: LineListener): Disposable {
  let gathered: string[] = []
  let timer: NodeJS.Timeout | undefined
  const deliver = () => {
    clearTimeout(timer)
    const lines = gathered
    gathered = []
    if (lines.length > 0) onLine(cleanInput(lines.join('\n')))
  }
  const reader = createInterface({ input, terminal: false })
  // Reading from a closed terminal fails; the input has ended then.
  input.on('error', onEnd)
  reader.on('line', (line) => {
    gathered.push(line)
    clearTimeout(timer)
    timer = setTimeout(deliver, pasteMs)
  })
  reader.on('close', () => {
    deliver()
    onEnd()
  })
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      reader.removeAllListeners()
      reader.close()
    },
  }
}
