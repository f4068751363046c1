import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { StreamedProcess } from '@parley/host'
import { parseJson } from '@parley/text'
import { isUnasked, limitReplies, maxMessageBytes, tooLarge } from './replies/limit-replies.ts'
import { isMessage } from './replies/mend-message.ts'

/** Number of notifications and invalid lines in one chunk that is a flood, and the pause in reading after one. */
const floodLines = 100
const pauseMs = 100

/** Time limit for reading output after the program has ended. */
const drainMs = 250

/** Creates the stdio transport of MCP over a running program. Invalid lines go to `onInvalidLine`. */
export function programTransport(program: StreamedProcess, onInvalidLine: (text: string) => void): Transport {
  const transport: Transport = {
    async start() {
      const { stdout } = program
      if (stdout === null) throw new Error((await program.ended).spawnError?.message ?? 'it could not be started')
      const onTooLong = (beginning: string) => refuse(tooLarge, beginning)
      const lines = createMessageLines((message) => transport.onmessage?.(message), { onInvalidLine, onTooLong })
      stdout.on('data', (chunk: Buffer) => {
        if (lines.push(chunk) > floodLines) pauseReading(stdout)
      })
      const outputClosed = new Promise<void>((resolve) => stdout.once('close', resolve))
      // Output before the end still counts; a program that closed its output counts as ended.
      void Promise.race([outputClosed, program.ended.then(() => delay(drainMs))]).then(() => transport.onclose?.())
    },
    send: (message) => write(program, message),
    // The caller that started the program ends it.
    close: async () => transport.onclose?.(),
  }
  const refuse = limitReplies(transport)
  return transport
}

function pauseReading(stream: Readable): void {
  stream.pause()
  setTimeout(() => stream.resume(), pauseMs).unref()
}

/** Resolves when the server reads again, so that messages do not pile up in memory. */
function write({ stdin, ended }: StreamedProcess, message: JSONRPCMessage): Promise<void> {
  if (stdin === null || !stdin.writable) return Promise.reject(new Error('it has ended'))
  if (stdin.write(`${JSON.stringify(message)}\n`)) return Promise.resolve()
  const drained = new Promise<void>((resolve) => stdin.once('drain', resolve))
  return Promise.race([drained, ended.then(() => undefined)])
}

const shownLength = 200

const lineFeed = 0x0a

interface LineFaults {
  /** Called with the beginning of a line that is not a message, or too long for one. */
  readonly onInvalidLine: (text: string) => void
  /** Called with the beginning of a line as soon as it is too long, before its end. */
  readonly onTooLong: (text: string) => void
}

/** Splits output into messages. `push` returns the number of notifications and invalid lines in a chunk. */
export function createMessageLines(
  onMessage: (message: JSONRPCMessage) => void,
  { onInvalidLine, onTooLong }: LineFaults,
): { push(chunk: Buffer): number } {
  let pieces: Buffer[] = []
  let size = 0
  let unasked = 0

  function hold(piece: Buffer): void {
    const wasWhole = size <= maxMessageBytes
    size += piece.length
    if (size <= maxMessageBytes) pieces.push(piece)
    else if (wasWhole) {
      pieces = [(pieces[0] ?? piece).subarray(0, shownLength)]
      onTooLong((pieces[0] ?? piece).toString())
    }
  }

  function endLine(): void {
    const isWhole = size <= maxMessageBytes
    const text = (isWhole ? Buffer.concat(pieces) : (pieces[0] ?? Buffer.alloc(0))).toString()
    pieces = []
    size = 0
    if (text.trim() === '') return
    const message = isWhole ? messageIn(text) : null
    if (message === null) {
      unasked += 1
      onInvalidLine(text.slice(0, shownLength))
      return
    }
    if (isUnasked(message)) unasked += 1
    onMessage(message)
  }

  return {
    push(chunk) {
      unasked = 0
      let rest = chunk
      for (let at = rest.indexOf(lineFeed); at >= 0; at = rest.indexOf(lineFeed)) {
        hold(rest.subarray(0, at))
        endLine()
        rest = rest.subarray(at + 1)
      }
      if (rest.length > 0) hold(rest)
      return unasked
    },
  }
}

/** Checks the first character before parsing, since an exception per line makes a flood of invalid lines expensive. */
function messageIn(line: string): JSONRPCMessage | null {
  // A byte order mark is blank to `trim`, and not to the parser.
  const text = line.trim()
  if (!text.startsWith('{')) return null
  const value = parseJson(text)
  return isMessage(value) ? value : null
}
