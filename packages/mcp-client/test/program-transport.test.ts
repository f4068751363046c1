import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMessageLines } from '../src/program-transport.ts'

function read(chunks: readonly Buffer[]) {
  const messages: unknown[] = []
  const rubbish: string[] = []
  const lines = createMessageLines(
    (message) => messages.push(message),
    (text) => rubbish.push(text),
  )
  const counts = chunks.map((chunk) => lines.push(chunk))
  return { messages, rubbish, counts }
}

const message = { jsonrpc: '2.0' as const, method: 'ping', params: { text: 'né\u2028🙂' } }

describe('what an MCP server writes', () => {
  it('is the same messages however it is cut', () => {
    const bytes = Buffer.from(`${JSON.stringify(message)}\nListening\n${JSON.stringify(message)}\r\n`)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 5 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
        expect(read(chunks)).toMatchObject({ messages: [message, message], rubbish: ['Listening'] })
      }),
    )
  })

  it('is passed over where it is no message, and counted', () => {
    const { messages, rubbish, counts } = read([Buffer.from('hello\n{"half\n[]\n{"jsonrpc":"1.0"}\n\n  \n')])
    expect(messages).toEqual([])
    expect(rubbish).toEqual(['hello', '{"half', '[]', '{"jsonrpc":"1.0"}'])
    expect(counts).toEqual([4])
  })

  it('is not kept when a line does not end', () => {
    const chunk = Buffer.alloc(1 << 20, 'x')
    const { messages, rubbish } = read([
      ...Array.from({ length: 33 }, () => chunk),
      Buffer.from(`\n${JSON.stringify(message)}\n`),
    ])
    expect(messages).toEqual([message])
    expect(rubbish).toEqual(['x'.repeat(200)])
  })
})
