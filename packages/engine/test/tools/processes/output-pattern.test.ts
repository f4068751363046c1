import { describe, expect, it } from 'vitest'
import { readPattern } from '../../../src/tools/processes/output-pattern.ts'

function fits(pattern: string, line: string): boolean {
  const read = readPattern(pattern)
  if ('problem' in read) throw new Error(read.problem)
  return read.matches(line)
}

describe('a pattern for output', () => {
  it('is text anywhere in a line, whatever its case', () => {
    expect(fits('ready', '[vite] Ready in 3 ms')).toBe(true)
    expect(fits('ready', 'reading')).toBe(false)
    expect(fits('>>> ', '>>> ')).toBe(true)
  })

  it('has any text at *, and alternatives between |', () => {
    expect(fits('listening*:8*', 'Listening on 0.0.0.0:8000')).toBe(true)
    expect(fits(':8*listening', 'Listening on 0.0.0.0:8000')).toBe(false)
    expect(fits('ready|error', 'an Error')).toBe(true)
    expect(fits('ready|error', 'an omen')).toBe(false)
  })

  it('takes a sign behind \\ as it is', () => {
    expect(fits('a\\*b', 'a*b')).toBe(true)
    expect(fits('a\\*b', 'a-b')).toBe(false)
    expect(fits('a\\|b', 'a')).toBe(false)
    expect(fits('\\\\', 'C:\\')).toBe(true)
  })

  it.each(['port \\d+', 'on .*', '(?i)ready', '[0-9]', '^ready', 'ready$', 'a\nb', '*', '|', 'a|', 'x'.repeat(201)])(
    'is refused as %j, which would be waited for in vain or fits everything',
    (pattern) => {
      expect(readPattern(pattern)).toHaveProperty('problem')
    },
  )
})
