import { describe, expect, it } from 'vitest'
import { layerOfOverrides } from '../src/layer.ts'
import { secretsOfConfig } from '../src/secrets.ts'

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
  // Letters alone, as those of Hugging Face.
  `hf_${'aBcDeFgHiJkLmNoPqR'.repeat(2)}`,
  'A_NAME_THAT_NOBODY_WRITES_BY_HAND_AND_THAT_IS_LONGER_THAN_SIXTY_FOUR',
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

it('of variables that a tool server gets, those that are none are left out, and nothing of them is shown', () => {
  const { values, warnings } = read({
    'mcp_servers.x.env_vars': '["GOOD", "gsk_abcdefghijklmnopqrstuvwxyz0123456789"]',
  })
  expect(values).toEqual({ mcp_servers: { x: { env_vars: ['GOOD'] } } })
  expect(warnings).toEqual([expect.stringMatching(/^-c: "mcp_servers\.x\.env_vars" wants the name of a variable/)])
})

it('what stood in place of a name is secret from then on, unless it would be found everywhere', () => {
  const { misplaced } = read({
    'model_providers.x.env_key': '"plain/words-77-of-a-key"',
    'mcp_servers.x.env_vars': '["$HOME"]',
  })
  expect(misplaced).toEqual([{ kind: 'env_key', value: 'plain/words-77-of-a-key' }])
  expect(secretsOfConfig({ values: {}, misplaced: misplaced ?? [] }, {})).toEqual(misplaced)
})
