import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMessageLines } from '../src/program-transport.ts'

function read(chunks: readonly Buffer[]) {
  const messages: unknown[] = []
  const invalidLines: string[] = []
  const tooLong: number[] = []
  const lines = createMessageLines((message) => messages.push(message), {
    onInvalidLine: (text) => invalidLines.push(text),
    onTooLong: (text) => tooLong.push(text.length),
  })
  const counts = chunks.map((chunk) => lines.push(chunk))
  return { messages, invalidLines, tooLong, counts }
}

const message = { jsonrpc: '2.0' as const, method: 'ping', params: { text: 'né\u2028🙂' } }

describe('the output of an MCP server', () => {
  it('yields the same messages however it is cut', () => {
    const bytes = Buffer.from(`${JSON.stringify(message)}\nListening\n${JSON.stringify(message)}\r\n`)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 5 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
        expect(read(chunks)).toMatchObject({ messages: [message, message], invalidLines: ['Listening'] })
      }),
    )
  })

  it('may begin with a byte order mark', () => {
    const { messages, invalidLines } = read([Buffer.from(`\uFEFF${JSON.stringify(message)}\n`)])
    expect([messages, invalidLines]).toEqual([[message], []])
  })

  it('is skipped and counted where it is no message', () => {
    const { messages, invalidLines, counts } = read([Buffer.from('hello\n{"half\n[]\n{"jsonrpc":"1.0"}\n\n  \n')])
    expect(messages).toEqual([])
    expect(invalidLines).toEqual(['hello', '{"half', '[]', '{"jsonrpc":"1.0"}'])
    expect(counts).toEqual([4])
  })

  it('is not kept in memory when a line does not end', () => {
    const chunk = Buffer.alloc(1 << 20, 'x')
    const { messages, invalidLines, tooLong } = read([
      ...Array.from({ length: 33 }, () => chunk),
      Buffer.from(`\n${JSON.stringify(message)}\n`),
    ])
    expect(messages).toEqual([message])
    expect(invalidLines).toEqual(['x'.repeat(200)])
    expect(tooLong).toEqual([200])
  })
})
