import type { JSONRPCMessage } from '@modelcontextprotocol/client'

/** A line beyond this is not kept: a server must not fill our memory. */
const maxLineBytes = 32 * 1024 * 1024
const shownRubbish = 200

const lineFeed = 0x0a

export interface MessageLines {
  /** Returns how many lines that are no messages ended in the chunk. */
  push(chunk: Buffer): number
}

/** Cuts what a server writes into messages. A line that is none, or too long, goes to `onRubbish` and costs no more. */
export function createMessageLines(
  onMessage: (message: JSONRPCMessage) => void,
  onRubbish: (text: string) => void,
): MessageLines {
  let pieces: Buffer[] = []
  let size = 0
  let rubbish = 0

  function hold(piece: Buffer): void {
    size += piece.length
    if (size <= maxLineBytes) pieces.push(piece)
    else pieces = pieces.slice(0, 1)
  }

  function endLine(): void {
    const isWhole = size <= maxLineBytes
    const text = (isWhole ? Buffer.concat(pieces) : (pieces[0] ?? Buffer.alloc(0))).toString()
    pieces = []
    size = 0
    if (text.trim() === '') return
    const message = isWhole ? messageIn(text) : null
    if (message === null) {
      rubbish += 1
      onRubbish(text.slice(0, shownRubbish))
    } else onMessage(message)
  }

  return {
    push(chunk) {
      rubbish = 0
      let rest = chunk
      for (let at = rest.indexOf(lineFeed); at >= 0; at = rest.indexOf(lineFeed)) {
        hold(rest.subarray(0, at))
        endLine()
        rest = rest.subarray(at + 1)
      }
      if (rest.length > 0) hold(rest)
      return rubbish
    },
  }
}

/** Looks at the first character before it reads: a flood of rubbish must not cost an exception a line. */
function messageIn(text: string): JSONRPCMessage | null {
  if (!text.trimStart().startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(text)
    return isMessage(value) ? value : null
  } catch {
    return null
  }
}

/** As far as the wire goes; what is in it is the SDK's to check. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0'
}
