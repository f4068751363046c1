import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'
import { appClient } from './app-client.ts'

it('what a client looks up has the shape that Codex gives it', async () => {
  await using place = testPlace()
  await using client = appClient(place.start())
  await client.initialize()
  for (const method of [
    ...['account/read', 'getAuthStatus', 'model/list', 'modelProvider/list', 'config/read', 'configRequirements/read'],
    ...['collaborationMode/list', 'permissionProfile/list', 'experimentalFeature/list', 'mcpServerStatus/list'],
    ...['plugin/installed', 'plugin/list', 'app/list', 'skills/list', 'hooks/list', 'thread/list'],
  ])
    expect(await client.result(method, { cwds: [place.cwd], cwd: place.cwd }), method).toEqual(expect.anything())
})

it('nobody is logged in to Codex, and there is nothing that only Codex has', async () => {
  await using place = testPlace()
  await using client = appClient(place.start({ env: { OPENAI_API_KEY: 'sk-secret' } }))
  await client.initialize()
  expect(await client.result('getAuthStatus', { includeToken: true, refreshToken: false })).toEqual({
    authMethod: null,
    authToken: null,
    requiresOpenaiAuth: false,
  })
  expect(await client.result('plugin/list', {})).toEqual({
    marketplaces: [],
    marketplaceLoadErrors: [],
    featuredPluginIds: [],
  })
  expect(await client.result('app/list', {})).toEqual({ data: [], nextCursor: null })
})

it('providers are listed with the way to their keys, and without what an address may hold', async () => {
  await using place = testPlace()
  const provider = (id: string, url: string, more = '') =>
    `[model_providers.${id}]\nname = "${id} name"\nbase_url = "${url}"\nwire_api = "chat"\n${more}\n`
  writeFileSync(
    join(place.root, '.parley', 'config.toml'),
    [
      'model_provider = "plain"\nmodel = "m"\n',
      provider('plain', 'http://127.0.0.1:9/v1'),
      provider('keyed', 'https://gate.example/v1', 'env_key = "GATE_KEY"'),
      provider('hidden', 'https://user:pass@gate.example/v1?key=abc'),
    ].join('\n'),
  )
  await using client = appClient(place.start())
  await client.initialize()
  const result = await client.result('modelProvider/list', {})
  expect(result).toMatchObject({ defaultProviderId: 'plain', canChangeDefault: false })
  const listed = (id: string) => result.data.find((one) => one.id === id)
  expect(listed('plain')).toEqual({
    id: 'plain',
    name: 'plain name',
    canEdit: false,
    baseUrl: 'http://127.0.0.1:9/v1',
    settings: { type: 'customGateway', auth: { mode: 'none' } },
  })
  expect(listed('keyed')).toMatchObject({ settings: { auth: { mode: 'environmentVariable', envKey: 'GATE_KEY' } } })
  expect(listed('hidden')).toMatchObject({ baseUrl: null })
  expect(listed('openai')).toMatchObject({ settings: { type: 'openai' } })
})
