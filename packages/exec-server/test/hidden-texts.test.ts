import { expect, it } from 'vitest'
import { createHiddenTexts } from '../src/wire/requests.ts'

it('hidden texts are kept once each, up to a number, and one that is kept is taken again at any time', () => {
  const { keep } = createHiddenTexts()
  const say = (text: string) => () => keep(Buffer.from(text))
  for (let nth = 0; nth < 256; nth++) say(`line ${nth}\n`)()
  expect(say('line 0\r\n')).not.toThrow()
  expect(say('one more\n')).toThrow('at most 256')
  const long = createHiddenTexts()
  expect(() => long.keep(Buffer.alloc(64 * 1024 + 1))).toThrow('65536 bytes')
  long.keep(Buffer.from('mine\n'))
  long.keep(Buffer.from('mine\n'))
  expect(long.all).toEqual(['mine'])
})
