import { imageLimitsOf } from '@parley/models'
import { smallPng } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { imageProblem, imageSizeOf, isWholeImage } from '../../src/core/image-facts.ts'
import { imageEnd } from '../../src/core/image-form.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const png = (width: number, height: number) => {
  const bytes = Buffer.concat([hex('89504e470d0a1a0a 0000000d 49484452'), Buffer.alloc(8)])
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
const whole = (begun: Buffer) => Buffer.concat([begun, hex('00000000 49454e44 ae426082')])
const webp = (rest: string) => Buffer.concat([Buffer.from('RIFF\x10\0\0\0WEBP'), hex(rest)])

describe('the pixels of an image', () => {
  it.each([
    ['PNG', png(640, 480), { width: 640, height: 480 }],
    ['GIF', Buffer.concat([Buffer.from('GIF89a'), hex('0a00 1400')]), { width: 10, height: 20 }],
    ['JPEG', hex('ffd8 ffe0 0004 0000 ffc0 0011 08 0014 000a 03 0122'), { width: 10, height: 20 }],
    ['WebP with loss', webp('56503820 00000000 000000 9d012a 0a00 1400 0000'), { width: 10, height: 20 }],
    ['WebP without loss', webp('5650384c 00000000 2f 09c00400 00000000 0000'), { width: 10, height: 20 }],
    ['extended WebP', webp('56503858 0a000000 00000000 090000 130000'), { width: 10, height: 20 }],
    ['cut PNG', png(1, 1).subarray(0, 20), null],
    ['JPEG that is rubbish', hex('ffd8ff e0 0002 0000000000000000'), null],
    ['JPEG without a frame', hex('ffd8 ffe0 0004 0000'), null],
    ['text', Buffer.from('words'), null],
  ])('are read from the header of %s', (_name, bytes, size) => {
    expect(imageSizeOf(bytes)).toEqual(size)
  })
})

describe('an image is whole', () => {
  it.each([
    ['PNG', whole(png(1, 1))],
    ['JPEG', hex('ffd8ff e0 0004 0000 ffd9')],
    ['GIF', Buffer.from('GIF89a;')],
    ['WebP', webp('56503820 00000000 00000000')],
  ])('when a %s ends as one, and not with a byte more or less', (_name, bytes) => {
    expect(isWholeImage(bytes)).toBe(true)
    expect(isWholeImage(bytes.subarray(0, -1))).toBe(false)
    expect(isWholeImage(Buffer.concat([bytes, Buffer.from('\n')]))).toBe(false)
  })

  it('never when it is something else', () => {
    expect(isWholeImage(Buffer.from('words'))).toBe(false)
    expect(isWholeImage(Buffer.alloc(0))).toBe(false)
  })
})

describe('the end of an image', () => {
  const jpeg = hex('ffd8 ffe0 0006 ffd9 ffc0 ffdb 0004 0000 ffda 0004 0000 12ff 0034 ffd9')
  const gif = hex(
    '474946383961 0100 0100 80 00 00 000000 ffffff 21f9 04 00000000 00 2c 00000000 0100 0100 00 02 02 4401 00 3b',
  )
  const photo = Buffer.concat([
    Buffer.from('RIFF\x16\0\0\0WEBP'),
    Buffer.from('VP8 \x09\0\0\0'),
    Buffer.alloc(10, 0x3b),
  ])

  it.each([
    ['PNG', smallPng],
    ['JPEG with a thumbnail', jpeg],
    ['GIF', gif],
    ['WebP', photo],
  ])('of a %s is missing wherever it is cut off, and found where more bytes follow', (_name, bytes) => {
    for (let length = 0; length < bytes.length; length += 1) expect(imageEnd(bytes.subarray(0, length))).toBeNull()
    expect(imageEnd(bytes)).toBe(bytes.length)
    expect(imageEnd(Buffer.concat([bytes, Buffer.from('more')]))).toBe(bytes.length)
  })

  it.each([
    ['less than', 14],
    ['more than', 30],
  ])('of a WebP whose header says %s it has is missing', (_what, says) => {
    const bytes = Buffer.from(photo)
    bytes.writeUInt32LE(says, 4)
    expect(imageEnd(bytes)).toBeNull()
  })
})

describe('an image', () => {
  const anthropic = imageLimitsOf({ adapter: 'anthropic/1:anthropic' })

  it.each([
    [whole(png(8000, 10)), anthropic, null],
    [whole(png(8001, 10)), anthropic, 'a.png has 8001 × 10 pixels; the Anthropic API takes up to 8000 on a side.'],
    [Buffer.alloc(3_932_160), anthropic, null],
    [
      Buffer.alloc(3_932_161),
      anthropic,
      'a.png has more than 3.75 MiB, the most that the Anthropic API takes of an image.',
    ],
    [
      Buffer.alloc(7_000_001),
      imageLimitsOf({ adapter: 'gemini/1:google' }),
      'a.png has more than 6.68 MiB, the most that the Gemini API takes',
    ],
    [Buffer.alloc(7_000_001), imageLimitsOf({ adapter: 'chat/1:local' }), null],
    [whole(png(9000, 9000)), imageLimitsOf({ adapter: 'responses/1:openai' }), null],
  ])('is refused above the limits of an API, which are named (%#)', (bytes, limits, words) => {
    const problem = imageProblem('a.png', bytes, limits)
    if (words === null) expect(problem).toBeNull()
    else expect(problem).toContain(words)
  })
})
