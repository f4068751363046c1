import { describe, expect, it } from 'vitest'
import { scratchEnv } from '../../src/sandbox/scratch.ts'

describe('the variables of a command in a sandbox', () => {
  it('lead temporary files and caches into its folder, and leave the others', () => {
    expect(scratchEnv({ A: '1', TMPDIR: '/elsewhere' }, { folder: '/tmp', network: true })).toEqual({
      A: '1',
      TMPDIR: '/tmp',
      XDG_CACHE_HOME: '/tmp/cache',
      npm_config_cache: '/tmp/npm',
      npm_config_update_notifier: 'false',
    })
  })

  it('keep npm from trying again for a network that is not there', () => {
    expect(scratchEnv({}, { folder: '/tmp', network: false })).toMatchObject({ npm_config_fetch_retries: '0' })
  })
})
