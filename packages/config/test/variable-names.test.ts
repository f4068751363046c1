import { describe, expect, it } from 'vitest'
import { layerOfOverrides } from '../src/layer.ts'

const read = (config: Record<string, string>) => layerOfOverrides(config, '-c')

/** Keys that want the name of a variable, and where the value ends up. */
const keys = [
  'model_providers.x.env_key',
  'model_providers.x.env_headers.authorization',
  'model_providers.x.env_http_headers.authorization',
  'mcp_servers.x.bearer_token_env_var',
  'environments.x.token_env',
]

const secrets = [
  'sk-proj-abcdefghijklmnopqrstuvwx0123456789',
  'gsk_abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnop',
  'AIzaSyA1234567890abcdefghijklmnopqrstuv',
  'AKIAABCDEFGHIJ234567',
  'Bearer abc',
  '$MY_KEY',
  '',
]

describe.each(keys)('the key %s', (key) => {
  const name = key.split('.').at(-1)?.replace('env_http_headers', 'env_headers') ?? ''

  it.each(secrets.filter((secret) => secret !== '' || (!key.includes('bearer') && !key.includes('token_env'))))(
    'that holds "%s" in place of a name shows it nowhere, and warns',
    (secret) => {
      const { values, warnings } = read({ [key]: JSON.stringify(secret) })
      expect(warnings).toEqual([expect.stringMatching(/^-c: ".+" wants the name of a variable/)])
      const all = JSON.stringify([values, warnings])
      if (secret !== '') expect(all).not.toContain(secret)
      expect(all).toContain(`(${name} names no variable)`)
    },
  )

  it.each(['RC_KEY', 'my_key2', 'MY_VERY_LONG_COMPANY_NAME_OPENAI_API_KEY', '_K', 'OPENAIAPIKEYOFTHEWHOLECOMPANY'])(
    'takes the name %s',
    (variable) => {
      const { values, warnings } = read({ [key]: JSON.stringify(variable) })
      expect(warnings).toEqual([])
      expect(JSON.stringify(values)).toContain(`"${variable}"`)
    },
  )
})

it('of variables that a tool server gets, each is the name of one', () => {
  expect(() => read({ 'mcp_servers.x.env_vars': '["gsk_abcdefghijklmnopqrstuvwxyz0123456789"]' })).toThrow(
    /mcp_servers\.x\.env_vars: must be the name of a variable\.$/,
  )
})
