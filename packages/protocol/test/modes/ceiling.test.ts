import { describe, expect, test } from 'vitest'
import { aboveSandboxCeiling } from '../../src/modes/ceiling.ts'

const ceiling = { sandbox: 'workspace-write', network: false, unixSockets: false } as const
const all = { sandbox: 'danger-full-access', network: true, unixSockets: true } as const

describe('a ceiling of sandboxed work', () => {
  test('allows what is within it, and what is not asked for', () => {
    expect(aboveSandboxCeiling({}, ceiling)).toBeNull()
    expect(aboveSandboxCeiling({ sandbox: 'read-only', network: false }, ceiling)).toBeNull()
    expect(aboveSandboxCeiling(ceiling, ceiling)).toBeNull()
    expect(aboveSandboxCeiling(all, all)).toBeNull()
  })

  test('names the first permission above it: mode, network, unix sockets', () => {
    expect(aboveSandboxCeiling(all, ceiling)).toBe('sandbox')
    expect(aboveSandboxCeiling({ ...ceiling, network: true, unixSockets: true }, ceiling)).toBe('network')
    expect(aboveSandboxCeiling({ unixSockets: true }, ceiling)).toBe('unixSockets')
  })
})
