import { describe, expect, it } from 'vitest'
import { scratchEnv } from '../../src/sandbox/scratch.ts'

describe('the env of a command in a sandbox', () => {
  it('leads temporary files and caches into its folder, and keeps other variables', () => {
    expect(scratchEnv({ A: '1', TMPDIR: '/elsewhere' }, { folder: '/tmp', network: true })).toEqual({
      A: '1',
      TMPDIR: '/tmp',
      XDG_CACHE_HOME: '/tmp/cache',
      npm_config_cache: '/tmp/npm',
      npm_config_update_notifier: 'false',
    })
  })

  it('keeps npm from retrying without a network', () => {
    expect(scratchEnv({}, { folder: '/tmp', network: false })).toMatchObject({ npm_config_fetch_retries: '0' })
  })
})
