import { execFileSync } from 'node:child_process'
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

  it('whose owner lives is never taken for abandoned by a process that has no descriptor left to look', () => {
    const script = `
import { openSync } from 'node:fs'
import { isOwnerAlive } from ${JSON.stringify(import.meta.resolve('../../src/index.ts'))}
try { for (;;) openSync('/dev/null') } catch {}
console.log([process.ppid, ${noSuchPid}].map((pid) => isOwnerAlive({ pid, startTime: '1' })).join())`
    const node = [process.execPath, '--conditions=@parley/source', '--input-type=module', '--eval', script]
    const said = execFileSync('sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh', ...node], { encoding: 'utf8' })
    expect(said).toBe('true,false\n')
  })
})

/** Beyond the highest number that a system gives out. */
const noSuchPid = 2 ** 22 + 1
