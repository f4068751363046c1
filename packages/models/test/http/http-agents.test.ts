import { expect, it } from 'vitest'
import { sharedRequestStarter } from '../../src/http/http-agents.ts'

it('shares the connections of equal settings, and of no others', () => {
  const env = { HTTPS_PROXY: 'http://proxy:1' }
  const start = sharedRequestStarter(env, { noProxy: ['a'] })
  expect(sharedRequestStarter(env, { noProxy: ['a'] })).toBe(start)
  expect(sharedRequestStarter(env, { noProxy: ['b'] })).not.toBe(start)
  expect(sharedRequestStarter({ ...env }, { noProxy: ['a'] })).not.toBe(start)
})

it('reads a CA file anew for each client', () => {
  const env = {}
  const settings = { caFile: '/ca.pem' }
  expect(sharedRequestStarter(env, settings)).not.toBe(sharedRequestStarter(env, settings))
})
