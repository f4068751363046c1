import { expect, it } from 'vitest'
import { shownValue } from '../../src/config/shown-value.ts'

it.each([
  'mcp_servers.tickets.env.TOKEN',
  'mcp_servers.a.b.http_headers.x-key',
  'model_providers.mine.headers.Authorization',
  'model_providers.mine.query_params.key',
  'shell_environment.set.NPM_TOKEN',
])('the value of %s is not shown', (key) => {
  expect(shownValue(key, 'secret')).toBe('(hidden)')
})

it('any other value is shown as it is', () => {
  expect(shownValue('mcp_servers.tickets.command', 'npx')).toBe('npx')
})
