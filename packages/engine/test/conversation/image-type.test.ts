import { expect, it } from 'vitest'
import { imageTypeOf } from '../../src/core/image-form.ts'

it.each([
  ['image/png', '89504e470d0a1a0a00'],
  ['image/jpeg', 'ffd8ffe000104a46'],
  ['image/gif', Buffer.from('GIF87a').toString('hex')],
  ['image/webp', Buffer.from('RIFF\n\0\r\0WEBPVP8 ').toString('hex')],
  [null, Buffer.from('RIFF....WAVE').toString('hex')],
  [null, Buffer.from('<svg xmlns=').toString('hex')],
  [null, '8950'],
  [null, ''],
])('the media type is %s for bytes that begin with %s', (type, hex) => {
  expect(imageTypeOf(Buffer.from(hex, 'hex'))).toBe(type)
})
