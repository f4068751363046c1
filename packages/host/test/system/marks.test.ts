import { describe, expect, it } from 'vitest'
import { createMark, isOwnerAlive, parseMark } from '../../src/index.ts'

describe('a mark', () => {
  it('names the process that made it', () => {
    const owner = parseMark(createMark())
    expect(owner?.pid).toBe(process.pid)
  })

  it('is new each time', () => {
    expect(createMark()).not.toBe(createMark())
  })

  it.each(['', 'x', '1-2', '1-2-', '1-2-xyz', '-1-2-ab', '1-2-ab\n', '1-2-ab-3'])('%j is not a mark', (text) => {
    expect(parseMark(text)).toBeNull()
  })

  it.runIf(process.platform === 'linux')('distinguishes its owner from a later process with the same number', () => {
    const owner = parseMark(createMark())
    expect(owner !== null && isOwnerAlive(owner)).toBe(true)
    expect(isOwnerAlive({ pid: process.pid, startTime: '1' })).toBe(false)
  })
})
