import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { judgeFindings, type ProbeFindings, parseFindings, probeCommand } from '../../../src/sandbox/probe/script.ts'
import { openProbeTargets } from '../../../src/sandbox/probe/targets.ts'
import { runWrapped } from '../../../src/sandbox/probe/try-limits.ts'
import { findProgram, programFolders } from '../../../src/system/programs.ts'

const perl = findProgram('perl', programFolders(''))?.path ?? null

describe('the probe without limits', () => {
  it.skipIf(process.platform !== 'linux').each(perl === null ? [null] : [null, perl])(
    'reports that nothing is blocked (%s)',
    async (found) => {
      await using ground = await openProbeTargets(null)
      const { inside, outside, secret, secretText, port, node } = ground
      const argv = probeCommand({ perl: found, node }, [inside, outside, secret, secretText, String(port)])
      const { stdout } = await runWrapped({ argv, env: {}, cwd: '/' }, 20_000)
      expect(parseFindings(stdout)).toMatchObject({
        wroteInside: true,
        wroteOutside: true,
        readSecret: true,
        tcp: 'ok',
        unix: 'ok',
      })
      expect(existsSync(join(inside, 'written'))).toBe(true)
      expect(await ground.wasWritten()).toBe(true)
      await expect.poll(() => ground.wasReached()).toBe(true)
    },
  )

  it('leaves nothing behind', async () => {
    const places: string[] = []
    {
      await using ground = await openProbeTargets(null)
      places.push(ground.root, ground.outside)
    }
    expect(places.filter((path) => existsSync(path))).toEqual([])
  })
})

const held: ProbeFindings = {
  wroteInside: true,
  wroteOutside: false,
  readSecret: false,
  tcp: 'ECONNREFUSED',
  unix: 'EPERM',
  filtered: true,
  openedPipe: false,
}
const all = { filtered: true, closesPipes: true }

describe('the results of the probe', () => {
  it.each<[string, Partial<ProbeFindings>, string[]]>([
    ['all held', {}, []],
    ['no writes at all', { wroteInside: false }, ['let it write to its own folder']],
    ['a write outside', { wroteOutside: true }, ['keep it from writing elsewhere']],
    ['a secret', { readSecret: true }, ['hide a secret from it']],
    ['a connection', { tcp: 'ok' }, ['keep it from the network']],
    ['a unix socket', { unix: 'ok' }, ['filter its system calls']],
    ['a unix socket that failed otherwise', { unix: 'EADDRINUSE' }, ['filter its system calls']],
    ['no filter', { filtered: false }, ['filter its system calls']],
    [
      'more than one',
      { wroteOutside: true, tcp: 'ok' },
      ['keep it from writing elsewhere', 'keep it from the network'],
    ],
  ])('are judged: %s', (_, findings, problems) => {
    expect(judgeFindings({ ...held, ...findings }, 'workspace-write', all)).toEqual(problems)
  })

  it('must not have written anywhere in read-only mode', () => {
    expect(judgeFindings(held, 'read-only', all)).toEqual(['keep it from writing'])
    expect(judgeFindings({ ...held, wroteInside: false }, 'read-only', all)).toEqual([])
  })

  it('must not have opened a FIFO in read-only mode, where that is closed', () => {
    const findings = { ...held, wroteInside: false, openedPipe: true }
    expect(judgeFindings(findings, 'read-only', all)).toEqual(['keep it from writing to a named pipe'])
    expect(judgeFindings(findings, 'read-only', { ...all, closesPipes: false })).toEqual([])
    expect(judgeFindings({ ...held, openedPipe: true }, 'workspace-write', all)).toEqual([])
  })

  it('need no filter where there is none', () => {
    const findings = { ...held, filtered: false, unix: 'ok' }
    expect(judgeFindings(findings, 'workspace-write', { filtered: false, closesPipes: false })).toEqual([])
  })

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{}',
    JSON.stringify({ ...held, tcp: 1 }),
    JSON.stringify({ ...held, readSecret: undefined }),
  ])('are ignored when incomplete: %s', (text) => {
    expect(parseFindings(text)).toBeNull()
  })

  it('are read as printed', () => {
    expect(parseFindings(JSON.stringify(held))).toEqual(held)
  })
})
