import { expect, test } from 'vitest'
import { setRawMode } from '../../src/terminal/port.ts'

function terminalThatFails(code: string): Pick<NodeJS.ReadStream, 'setRawMode'> {
  return {
    setRawMode() {
      throw Object.assign(new Error(`setRawMode ${code}`), { code })
    },
  }
}

test('a closed terminal has no mode to restore', () => {
  expect(() => setRawMode(terminalThatFails('EIO'), false)).not.toThrow()
})

test('any other failure is thrown', () => {
  expect(() => setRawMode(terminalThatFails('EINVAL'), true)).toThrow('EINVAL')
})
