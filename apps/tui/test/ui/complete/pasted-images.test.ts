import { describe, expect, test } from 'vitest'
import { pastedImages } from '../../../src/ui/complete/pasted-images.ts'

describe('pasted text is read as images', () => {
  test.each([
    ['/home/ada/shot.png', [['/home/ada/shot.png'], ['/home/ada/shot.png']]],
    [' shots/a.JPG\n', [['shots/a.JPG'], ['shots/a.JPG']]],
    ["'/tmp/my shot.png' ", [['/tmp/my shot.png']]],
    ['/tmp/my\\ shot.png', [['/tmp/my\\ shot.png'], ['/tmp/my shot.png']]],
    ['/tmp/my shot.png', [['/tmp/my shot.png']]],
    ['file:///tmp/my%20shot.png', [['/tmp/my shot.png'], ['/tmp/my shot.png']]],
    ['file://localhost/tmp/a.gif', [['/tmp/a.gif'], ['/tmp/a.gif']]],
    ['"/tmp/a \\"b\\".png" /tmp/c.webp', [['"/tmp/a \\"b\\".png" /tmp/c.webp'], ['/tmp/a "b".png', '/tmp/c.webp']]],
    ['/tmp/a.png\n/tmp/b.png', [['/tmp/a.png', '/tmp/b.png']]],
    ['file:///tmp/100%.png', [['/tmp/100%.png'], ['/tmp/100%.png']]],
  ])('%j', (text, readings) => {
    expect(pastedImages(text)).toEqual(readings)
  })

  test.each([
    '',
    'hello',
    '/tmp/a.ts',
    'see /tmp/a.png and tell me',
    '/tmp/a\u001b.png',
    `${'x'.repeat(5_000)}.png`,
    '/tmp/a.png b.ts',
  ])('never %j', (text) => {
    expect(pastedImages(text)).toEqual([])
  })
})
