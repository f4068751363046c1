import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutBytes, everyOffset, playBytes } from '../src/index.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('pieces joined are the bytes, wherever they are cut', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.array(fc.integer({ min: -2, max: 40 })), (whole, offsets) => {
      expect(Buffer.concat(cutBytes(whole, offsets))).toEqual(Buffer.from(whole))
    }),
  )
})

test('every offset leaves single bytes', () => {
  const whole = bytes('data: é\n\n')
  expect(cutBytes(whole, everyOffset(whole)).map((piece) => piece.length)).toEqual([...whole].map(() => 1))
})

test('a reset comes after the bytes before it', async () => {
  const seen: string[] = []
  const playing = (async () => {
    const playback = playBytes('abcdef', { offsets: [2], resetAfterBytes: 4 })
    for await (const piece of playback) seen.push(Buffer.from(piece).toString())
  })()
  await expect(playing).rejects.toThrow('reset')
  expect(seen).toEqual(['ab', 'cd'])
})

test('each piece waits for the test', async () => {
  const order: string[] = []
  const beforePiece = async (index: number) => void order.push(`allow ${index}`)
  for await (const piece of playBytes('ab', { offsets: [1], beforePiece })) order.push(Buffer.from(piece).toString())
  expect(order).toEqual(['allow 0', 'a', 'allow 1', 'b'])
})
