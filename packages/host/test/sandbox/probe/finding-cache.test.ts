import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cacheFinding, findingKey, readCachedFinding } from '../../../src/sandbox/probe/finding-cache.ts'
import { type Finding, inspectMachine } from '../../../src/sandbox/probe/machine.ts'
import { openWorkspace } from '../../workspace.ts'

const full: Finding = { enforcement: 'full', reason: 'It holds.', bubblewrap: '0.8.0', isSure: true }
const partial: Finding = { enforcement: 'partial', reason: 'It holds in part.', landlock: 7, isSure: true }

describe('a kept finding', () => {
  it.each([full, partial])('is read again for the same key, from a file of this user alone', async (finding) => {
    using workspace = openWorkspace()
    const file = workspace.path('made/on/the/way/sandbox.json')
    await cacheFinding(file, 'key', finding)
    expect(readCachedFinding(file, 'key')).toEqual(finding)
    expect(readCachedFinding(file, 'other key')).toBeNull()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(workspace.path('made/on')).mode & 0o777).toBe(0o700)
    expect(readdirSync(workspace.path('made/on/the/way'))).toEqual(['sandbox.json'])
  })

  it('is a sure one that enforces limits; another one removes it', async () => {
    using workspace = openWorkspace()
    const file = workspace.path('sandbox.json')
    for (const finding of [
      { enforcement: 'none', reason: 'None.', isSure: true } as const,
      { ...partial, isSure: false },
    ]) {
      await cacheFinding(file, 'key', full)
      await cacheFinding(file, 'key', finding)
      expect(existsSync(file)).toBe(false)
    }
  })

  it.each([
    '',
    '{"key":"key"',
    'null',
    '{"key":"key"}',
    '{"key":"key","finding":{"enforcement":"none","reason":"x"}}',
    '{"key":"key","finding":{"enforcement":"D","reason":"x"}}',
    '{"key":"key","finding":{"enforcement":"full"}}',
  ])('is ignored when the file is broken or holds what is never kept: %s', async (text) => {
    using workspace = openWorkspace()
    writeFileSync(workspace.path('sandbox.json'), text, { mode: 0o600 })
    expect(readCachedFinding(workspace.path('sandbox.json'), 'key')).toBeNull()
  })

  it('is ignored when others can read or write the file, or it is a link', async () => {
    using workspace = openWorkspace()
    const file = workspace.path('sandbox.json')
    await cacheFinding(file, 'key', full)
    symlinkSync(file, workspace.path('link'))
    expect(readCachedFinding(workspace.path('link'), 'key')).toBeNull()
    for (const mode of [0o620, 0o602, 0o640]) {
      chmodSync(file, mode)
      expect(readCachedFinding(file, 'key')).toBeNull()
    }
  })

  it('does not write through a link', async () => {
    using workspace = openWorkspace()
    writeFileSync(workspace.path('victim'), 'victim')
    symlinkSync(workspace.path('victim'), workspace.path('sandbox.json'))
    await cacheFinding(workspace.path('sandbox.json'), 'key', full)
    expect(readFileSync(workspace.path('victim'), 'utf8')).toBe('victim')
  })

  it('may be impossible to keep without an error', async () => {
    await cacheFinding('/proc/nowhere/sandbox.json', 'key', full)
    expect(readCachedFinding('/proc/nowhere/sandbox.json', 'key')).toBeNull()
  })

  it('holds for these programs and this build only', () => {
    const machine = inspectMachine({}, { home: '/' })
    const program = { path: '/usr/bin/bwrap', modifiedMs: 1, sizeBytes: 2 }
    const keys = [null, program, { ...program, modifiedMs: 2 }, { ...program, sizeBytes: 3 }].map((bwrap) =>
      findingKey({ ...machine, bwrap }),
    )
    const builds = ['one', 'two'].map((build) => findingKey({ ...machine, bwrap: program }, build))
    expect(new Set([...keys, ...builds]).size).toBe(6)
    expect(findingKey({ ...machine, bwrap: program })).toBe(keys[1])
  })
})
