import { describe, expect, it } from 'vitest'
import { readSandboxPolicy } from '../../src/sandbox/read-policy.ts'

const nothing = { writableRoots: null, network: false, unixSockets: false, masked: [], loopback: null, cwd: null }
const readOnly = { kind: 'confined', mode: 'read-only', ...nothing }
const workspaceWrite = { kind: 'confined', mode: 'workspace-write', ...nothing }

describe('a sandbox policy', () => {
  it.each([
    [undefined],
    [null],
    ['danger-full-access'],
    ['dangerFullAccess'],
    [{ type: 'danger-full-access' }],
    [{ mode: 'danger_full_access' }],
    [{ sandboxPolicy: { type: 'dangerFullAccess' }, cwd: '/w' }],
  ])('%j is for none', (written) => {
    expect(readSandboxPolicy(written)).toEqual({ kind: 'unconfined' })
  })

  it.each([
    ['read-only', readOnly],
    ['readOnly', readOnly],
    [{ type: 'read-only' }, readOnly],
    [{ mode: 'read_only' }, readOnly],
    [{ type: 'readOnly', mode: 'read-only' }, readOnly],
    [
      { type: 'readOnly', networkAccess: true },
      { ...readOnly, network: true },
    ],
    [
      { type: 'read-only', networkAccess: 'enabled' },
      { ...readOnly, network: true },
    ],
    [{ type: 'read-only', network_access: 'restricted' }, readOnly],
    ['workspace-write', workspaceWrite],
    [
      { mode: 'workspace-write', writable_roots: ['/a', 'file:///b/../c'], network_access: false },
      { ...workspaceWrite, writableRoots: ['/a', '/c'] },
    ],
    [
      { type: 'workspaceWrite', writableRoots: [], excludeTmpdirEnvVar: false, excludeSlashTmp: true },
      { ...workspaceWrite, writableRoots: [] },
    ],
    [
      { sandbox_policy: 'workspace-write', cwd: 'file:///w' },
      { ...workspaceWrite, cwd: '/w' },
    ],
    [
      {
        sandboxPolicy: { type: 'workspace-write', writable_roots: ['/a'] },
        cwd: '/w',
        windowsSandboxLevel: 'disabled',
      },
      { ...workspaceWrite, writableRoots: ['/a'], cwd: '/w' },
    ],
    [
      { type: 'read-only', sharedLoopback: '0199-a.b' },
      { ...readOnly, loopback: '0199-a.b' },
    ],
    [
      { type: 'workspace-write', unixSockets: true, masked: ['/k'] },
      { ...workspaceWrite, unixSockets: true, masked: ['/k'] },
    ],
  ])('%j is understood in the spellings of existing clients', (written, policy) => {
    expect(readSandboxPolicy(written)).toEqual(policy)
  })

  it.each([
    ['none'],
    ['external-sandbox'],
    ['READ-ONLY '],
    [{}],
    [{ kind: 'x' }],
    [{ type: ['read-only'] }],
    [{ type: 'read-only', mode: 'danger-full-access' }],
    [{ type: 'read-only', access: { type: 'restricted' } }],
    [{ type: 'danger-full-access', networkAccess: false }],
    [{ type: 'danger-full-access', masked: ['/k'] }],
    [{ type: 'workspace-write', writable_roots: ['/a'], writableRoots: ['/b'] }],
    [{ type: 'workspace-write', networkAccess: 'maybe' }],
    [{ type: 'workspace-write', networkAccess: 'toString' }],
    [{ type: 'workspace-write', unixSockets: 'enabled' }],
    [{ sandboxPolicy: { type: 'read-only' }, deny: ['/x'] }],
    [{ sandboxPolicy: { type: 'read-only', cwd: '/a' }, cwd: '/b' }],
    [{ sandboxPolicy: null }],
    [{ permissions: { type: 'managed' }, cwd: '/w' }],
    [JSON.parse('{"type":"danger-full-access","__proto__":{"masked":["/k"]}}')],
    [['read-only']],
    [7],
  ])('%j is not understood, so nothing is done', (written) => {
    expect(readSandboxPolicy(written)).toMatchObject({ kind: 'notUnderstood' })
  })

  it.each([[['a']], [['file://elsewhere/a']], [['/a\0b']], [[7]], ['relative'], [[null]]])(
    'with %j for its roots is faulty',
    (writableRoots) => {
      expect(() => readSandboxPolicy({ type: 'workspace-write', writableRoots })).toThrow('sandbox.writableRoots')
    },
  )
})
