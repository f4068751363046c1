import { createRedaction } from '@parley/redaction'
import { tempDirectory } from '@parley/testkit'
import { expect, it } from 'vitest'
import { secretsOfConfig, shownValue } from '../src/secrets.ts'

const asItIs = (text: string) => text
// Made up, in the shape of a key.
const token = ['ghp', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_')

it.each([
  'mcp_servers.tickets.env.TOKEN',
  'mcp_servers.a.b.http_headers.x-key',
  'model_providers.mine.headers.Authorization',
  'model_providers.mine.query_params.key',
  'shell_environment.set.NPM_TOKEN',
])('the value of %s is not shown', (key) => {
  expect(shownValue(key, 'secret', asItIs)).toBe('(hidden)')
})

it('any other value is shown as it is', () => {
  expect(shownValue('mcp_servers.tickets.command', 'npx', asItIs)).toBe('npx')
})

it.each([
  ['model_providers.mine.base_url', `https://ada:${token}@gate.example/v1`],
  ['mcp_servers.tickets.url', `https://gate.example/mcp?token=${token}`],
  ['mcp_servers.tickets.args', ['--verbose', '--token', token, `--token=${token}`]],
])('the value of %s is shown with a mark in place of a token', async (key, value) => {
  await using home = await tempDirectory()
  const redaction = createRedaction({ home: home.path, env: {} })
  const shown = JSON.stringify(shownValue(key, value, redaction.text))
  expect(shown).not.toContain(token)
  expect(shown).toMatch(/gate\.example|--verbose/)
})

it('the login of a proxy is not shown, and its password is a secret', () => {
  const proxy = 'http://ada:love-lace-1815@proxy.example:3128'
  expect(shownValue('network.proxy', proxy, asItIs)).toBe('http://(hidden)@proxy.example:3128')
  expect(shownValue('network.proxy', 'http://proxy.example', asItIs)).toBe('http://proxy.example')
  expect(secretsOfConfig({ values: { network: { proxy } }, misplaced: [] }, {}).map(({ value }) => value)).toEqual([
    'love-lace-1815',
  ])
})
