import { describe, expect, test } from 'vitest'
import { takeAllocatorSettings } from '../../src/server/server-process.ts'

describe('settings of the allocator', () => {
  test('are taken out of the environment, for a server', () => {
    const env = { PATH: '/bin', GLIBC_TUNABLES: 'a=1', PARLEY_TUNABLES: 'a=1' }
    expect(takeAllocatorSettings(env)).toEqual({ GLIBC_TUNABLES: 'a=1', PARLEY_TUNABLES: 'a=1' })
    expect(env).toEqual({ PATH: '/bin' })
    expect(takeAllocatorSettings(env)).toEqual({})
  })

  test('stay in the environment where they are the user’s own', () => {
    const own = { GLIBC_TUNABLES: 'b=2' }
    expect(takeAllocatorSettings(own)).toEqual({})
    expect(own).toEqual({ GLIBC_TUNABLES: 'b=2' })
    const changed = { GLIBC_TUNABLES: 'b=2', PARLEY_TUNABLES: 'a=1' }
    expect(takeAllocatorSettings(changed)).toEqual({})
    expect(changed).toEqual({ GLIBC_TUNABLES: 'b=2' })
  })
})
