import { describe, expect, it } from 'vitest'
import { judgeFindings, type ProbeFindings, parseFindings } from '../../../src/sandbox/probe/script.ts'

const held: ProbeFindings = {
  wroteInside: true,
  wroteOutside: false,
  readSecret: false,
  tcp: 'ECONNREFUSED',
  unix: 'EPERM',
  filtered: true,
}

describe('what the probe found', () => {
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
  ])('is judged: %s', (_, findings, problems) => {
    expect(judgeFindings({ ...held, ...findings }, 'workspace-write', true)).toEqual(problems)
  })

  it('must not have written anywhere where all is read only', () => {
    expect(judgeFindings(held, 'read-only', true)).toEqual(['keep it from writing'])
    expect(judgeFindings({ ...held, wroteInside: false }, 'read-only', true)).toEqual([])
  })

  it('need not be filtered where there is no filter', () => {
    expect(judgeFindings({ ...held, filtered: false, unix: 'ok' }, 'workspace-write', false)).toEqual([])
  })

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{}',
    JSON.stringify({ ...held, tcp: 1 }),
    JSON.stringify({ ...held, readSecret: undefined }),
  ])('is nothing where it is not told in full: %s', (text) => {
    expect(parseFindings(text)).toBeNull()
  })

  it('is read as it was told', () => {
    expect(parseFindings(JSON.stringify(held))).toEqual(held)
  })
})
