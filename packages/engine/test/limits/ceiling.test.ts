import { defaultCeilingFlags } from '@parley/policy'
import { describe, expect, it } from 'vitest'
import {
  assertUnderCeiling,
  type Ceiling,
  ceilingOf,
  loweredText,
  type RequestedPermissions,
  underCeiling,
} from '../../src/limits/ceiling.ts'

const plain: Ceiling = { sandbox: 'workspace-write', neverWithFullAccess: false, network: false, unixSockets: false }
const full: Ceiling = { ...plain, sandbox: 'danger-full-access' }
const all: Ceiling = { ...full, neverWithFullAccess: true }
const readOnly: Ceiling = { ...plain, sandbox: 'read-only' }
const connected: Ceiling = { ...plain, network: true, unixSockets: true }

const danger = { sandbox: 'danger-full-access', approvalPolicy: 'on-request' } as const
const unasked = { sandbox: 'danger-full-access', approvalPolicy: 'never' } as const
const usual = { sandbox: 'workspace-write', approvalPolicy: 'on-request' } as const

describe('the ceiling of a server', () => {
  it.each([
    [{}, {}, plain],
    [{}, { sandbox_mode: 'read-only' }, plain],
    [{}, { sandbox_mode: 'danger-full-access' }, full],
    [{}, { sandbox_mode: 'danger-full-access', approval_policy: 'never' }, all],
    [{ maxSandbox: 'danger-full-access' }, {}, full],
    [{ maxSandbox: 'danger-full-access', allowNever: true }, {}, all],
    [{ maxSandbox: 'read-only' }, { sandbox_mode: 'danger-full-access' }, readOnly],
    [{}, { sandbox_workspace_write: { network_access: true, allow_unix_sockets: true } }, connected],
  ] as const)('from the flags %j and the configuration %j is %j', (flags, own, ceiling) => {
    expect(ceilingOf({ ...defaultCeilingFlags, ...flags }, own)).toEqual(ceiling)
  })
})

describe('explicitly requested permissions', () => {
  it.each([
    ['full access', danger, { sandbox: 'danger-full-access' }, plain, '--max-sandbox'],
    ['more than reading', usual, { sandbox: 'workspace-write' }, readOnly, '--max-sandbox'],
    ['full access with nobody asked', unasked, unasked, plain, '--max-sandbox'],
    ['full access with nobody asked', unasked, unasked, full, '--allow-never'],
    ['never, where there is full access', unasked, { approvalPolicy: 'never' }, full, '--allow-never'],
  ] as const)('are rejected when they are %s above the ceiling', (_, wanted, asked, ceiling, flag) => {
    expect(() => underCeiling(wanted, asked, ceiling)).toThrow(
      expect.objectContaining({
        code: -32007,
        message: expect.stringContaining(flag),
        data: expect.objectContaining({ code: 'aboveCeiling', flag }),
      }),
    )
  })

  it.each([
    [{ ...plain, program: 'mcp-server' } as const, /: parley mcp-server --max-sandbox danger-full-access\.$/],
    [plain, /: parley server --max-sandbox danger-full-access; for a conversation of the terminal, parley resume ID/],
  ])('are rejected with advice that names the started command', (ceiling, ways) => {
    expect(() => underCeiling(danger, { sandbox: 'danger-full-access' }, ceiling)).toThrow(ways)
  })

  it.each([
    [usual, {}, plain],
    [danger, { sandbox: 'danger-full-access' }, full],
    [unasked, unasked, all],
    [{ sandbox: 'workspace-write', approvalPolicy: 'never' }, { approvalPolicy: 'never' }, plain],
    [{ sandbox: 'read-only', approvalPolicy: 'never' }, { approvalPolicy: 'never' }, readOnly],
  ] as const)('are allowed under the ceiling: %j, of which %j was requested', (wanted, asked, ceiling) => {
    expect(underCeiling(wanted, asked, ceiling)).toEqual(wanted)
  })
})

describe('permissions of a log or a file', () => {
  it.each([
    [danger, plain, usual],
    [unasked, plain, { sandbox: 'workspace-write', approvalPolicy: 'never' }],
    [unasked, full, danger],
    [usual, readOnly, { sandbox: 'read-only', approvalPolicy: 'on-request' }],
  ] as const)('are lowered from %j under %j to %j, with a sentence', (wanted, ceiling, allowed) => {
    expect(underCeiling(wanted, {}, ceiling)).toEqual(allowed)
    expect(loweredText(wanted, allowed, 'It was recorded with')).toMatch(/^It was recorded with .* on the command line/)
  })

  it('give no sentence when nothing is lowered', () => {
    expect(loweredText(usual, usual, 'x')).toBeNull()
  })

  it('change from never to on-request when a resume raises the sandbox', () => {
    expect(underCeiling(unasked, { sandbox: 'danger-full-access' }, full)).toEqual(danger)
  })
})

describe('a change of settings', () => {
  const check = (change: RequestedPermissions, now: Parameters<typeof underCeiling>[0], ceiling: Ceiling) =>
    assertUnderCeiling(change, now, () => ceiling)

  it('is checked together with the settings that stay', () => {
    const now = { sandbox: 'workspace-write', approvalPolicy: 'never' } as const
    expect(() => check({ sandbox: 'danger-full-access' }, now, full)).toThrow(/--allow-never/)
    expect(() => check({ approvalPolicy: 'never' }, danger, full)).toThrow(/--allow-never/)
    expect(() => check({ sandbox: 'danger-full-access' }, now, all)).not.toThrow()
  })

  it('may always lower the permissions', () => {
    expect(() => check({ sandbox: 'read-only' }, unasked, plain)).not.toThrow()
    expect(() => check({ approvalPolicy: 'untrusted' }, unasked, plain)).not.toThrow()
  })
})
