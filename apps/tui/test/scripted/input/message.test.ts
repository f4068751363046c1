import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { messageOf, readPrompt } from '../../../src/scripted/input/message.ts'

const piped = (...chunks: (string | Buffer)[]) => Object.assign(Readable.from(chunks), { isTTY: false })
const terminal = () => Object.assign(Readable.from([]), { isTTY: true })
const untouched = () => {
  throw new Error('stdin was touched')
}

describe('the prompt', () => {
  test.each([
    ['its argument', 'ask', false, null, 'ask'],
    ['stdin, without an argument', null, false, 'from stdin', 'from stdin'],
    ['stdin, for "-"', '-', false, 'from stdin', 'from stdin'],
    ['stdin, for "-" and --stdin', '-', true, 'from stdin', 'from stdin'],
    ['both, with --stdin', 'ask', true, 'a\nb\n', 'ask\n\n<stdin>\na\nb\n</stdin>'],
    ['the argument alone, when --stdin brings nothing', 'ask', true, '\n', 'ask'],
    ['without a byte order mark', null, false, '\ufefftext', 'text'],
  ] as const)('is %s', async (_name, argument, appendStdin, input, prompt) => {
    const stdin = input === null ? untouched : () => piped(input)
    expect(await readPrompt({ argument, appendStdin, stdin })).toEqual({ prompt })
  })

  test('may be cut inside a character on its way', async () => {
    const [start, rest] = [Buffer.from('ü').subarray(0, 1), Buffer.from('ü').subarray(1)]
    const outcome = await readPrompt({ argument: null, appendStdin: false, stdin: () => piped(start, rest) })
    expect(outcome).toEqual({ prompt: 'ü' })
  })
})

describe('there is no prompt', () => {
  test.each([
    ['on a terminal', null, false, terminal, /Give one as an argument/],
    ['for "-" on a terminal', '-', false, terminal, /Give one as an argument/],
    ['with --stdin on a terminal', 'ask', true, terminal, /--stdin needs something piped in/],
    ['in an empty argument', '', false, untouched, /is empty/],
    ['in blanks', ' \n', false, untouched, /is empty/],
    ['in an empty stdin', null, false, () => piped(), /is empty/],
    ['in what is not text', null, false, () => piped(Buffer.from([0xff, 0xfe, 0x41])), /not UTF-8/],
  ] as const)('%s', async (_name, argument, appendStdin, stdin, problem) => {
    const outcome = await readPrompt({ argument, appendStdin, stdin })
    expect(outcome).toEqual({ problem: expect.stringMatching(problem) })
  })

  test('in more than a message can hold, of which no more is read', async () => {
    let read = 0
    async function* endless() {
      for (;;) {
        read += 1
        yield Buffer.alloc(1 << 20, 'x')
      }
    }
    const stdin = () => Object.assign(Readable.from(endless(), { highWaterMark: 1 }), { isTTY: false })
    const outcome = await readPrompt({ argument: null, appendStdin: false, stdin })
    expect(outcome).toEqual({ problem: expect.stringMatching(/longer than 8 MiB/) })
    expect(read).toBeLessThan(12)
  })
})

test('an output schema that is not there is named with the cause, and no function', () => {
  expect(() => messageOf('hi', { outputSchema: 'no-such-schema.json' })).toThrow(
    'The output schema no-such-schema.json cannot be used: no such file or directory.',
  )
})
