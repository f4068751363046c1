import { readdirSync, readFileSync } from 'node:fs'
import { appendFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isLong } from '@parley/testkit/long-runs'
import { expect, test, vi } from 'vitest'
import { guardedServer } from './mcp-world.ts'
import { Browser, type OAuthWorld, oauthWorld } from './oauth-world.ts'

// Real processes on a machine that does other things as well.
vi.setConfig({ testTimeout: 60_000 })

const call = { calls: [{ name: 'mcp__gated__greet', arguments: {} }] }

async function configure(world: OAuthWorld, url: string): Promise<void> {
  const folder = dirname(world.credentials)
  // The model accepts any token here, because these tests are about another login.
  await writeFile(
    join(folder, 'config.toml'),
    `model = "scripted"\nmodel_provider = "free"\n[model_providers.free]\nbase_url = "${world.free.url}"\nwire_api = "responses"\n[mcp_servers.gated]\nurl = "${url}"\n`,
  )
  await appendFile(join(folder, 'policy.toml'), '[[rule]]\ndecision = "allow"\nmcp = "gated/*"\n')
}

async function logIn(world: OAuthWorld): Promise<void> {
  await using run = world.start(['mcp', 'login', 'gated'])
  const { url } = await world.asked(run)
  expect(await new Browser().open(url)).toMatchObject({ status: 200 })
  const { exitCode, stdout, stderr } = await run.result
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining('Logged in to gated.'),
    stderr: expect.stringMatching(/Ctrl\+C gives up\.\n$/),
  })
}

function kept({ credentials }: OAuthWorld) {
  return JSON.parse(readFileSync(credentials, 'utf8')).entries['mcp/gated']?.credential
}

test('a tool server behind OAuth is used after a login, and not before or after', async () => {
  await using world = await oauthWorld()
  await using server = await guardedServer(world.provider)
  await configure(world, server.url)
  world.free.script([{ text: 'No tool.' }, call, { text: 'Done.' }, { text: 'No tool.' }])
  await using before = world.start(['exec', 'greet'])
  expect(await before.result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('parley mcp login') })
  await logIn(world)
  await using run = world.start(['exec', 'greet'])
  expect(await run.result).toMatchObject({ exitCode: 0, stdout: 'Done.\n' })
  expect(world.free.requests.at(-1)?.text).toContain('Hello from behind the gate.')
  const { accessToken, secrets } = kept(world)
  expect(server.tokens).toContain(accessToken)
  const files = readdirSync(world.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const leaks = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => path !== world.credentials)
    .filter((path) => secrets.some((secret: string) => readFileSync(path, 'latin1').includes(secret)))
  expect(leaks).toEqual([])
  await using out = world.start(['mcp', 'logout', 'gated'])
  expect(await out.result).toMatchObject({
    exitCode: 0,
    stdout: 'The login to gated is forgotten here, and its tokens are revoked.\n',
  })
  expect(await world.provider.AccessToken.find(accessToken)).toBeUndefined()
  const count = server.tokens.length
  await using after = world.start(['exec', 'greet'])
  expect(await after.result).toMatchObject({ exitCode: 0 })
  expect(server.tokens).toHaveLength(count)
})

test('a login is renewed by one of the processes that need it, and counts for its address only', async () => {
  await using world = await oauthWorld([], 30)
  await using server = await guardedServer(world.provider)
  await using other = await guardedServer(world.provider)
  await configure(world, server.url)
  await logIn(world)
  const first = kept(world).accessToken
  // How many may renew at once is proven by the login of a provider (oauth.test.ts), which is kept in the same way.
  const count = isLong ? 3 : 1
  world.free.script(Array.from({ length: count + 1 }, () => ({ text: 'Done.' })))
  const runs = Array.from({ length: count }, () => world.start(['exec', 'hi']))
  const results = await Promise.all(runs.map((run) => run.result))
  expect(results.map(({ exitCode, stderr }) => [exitCode, stderr.includes('gated')])).toEqual(
    Array.from({ length: count }, () => [0, false]),
  )
  expect(server.tokens.length).toBeGreaterThan(0)
  expect(kept(world).accessToken).not.toBe(first)
  await configure(world, other.url)
  await using run = world.start(['exec', 'hi'])
  expect(await run.result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('parley mcp login') })
  expect(other.tokens).toEqual([])
})

test('a token that is still good is used while its server cannot renew it, and one that is not needs a login', async () => {
  await using world = await oauthWorld([], 45)
  await using server = await guardedServer(world.provider)
  await configure(world, server.url)
  await logIn(world)
  const { accessToken, state } = kept(world)
  world.free.script([{ text: 'Done.' }, { text: 'Done.' }, { text: 'Done.' }])
  const before = world.troubleTokens({ status: 502, body: `<html>${'no '.repeat(5000)}</html>` })
  await using run = world.start(['exec', 'hi'])
  expect(await run.result).toMatchObject({ exitCode: 0, stderr: expect.not.stringMatching(/gated|mcp-sdk/) })
  expect(new Set(server.tokens)).toEqual(new Set([accessToken]))
  expect(world.troubleTokens(null)).toBeGreaterThan(before)
  await (await world.provider.RefreshToken.find(state.tokens.refresh_token))?.destroy()
  await using late = world.start(['exec', 'hi'])
  const { stderr } = await late.result
  expect(stderr).toMatch(/could not be renewed.*parley mcp login gated/)
  expect(stderr).not.toContain('mcp-sdk')
})

test('a token that its server has ended early is renewed', async () => {
  await using world = await oauthWorld()
  await using server = await guardedServer(world.provider)
  await configure(world, server.url)
  await logIn(world)
  const { accessToken } = kept(world)
  await (await world.provider.AccessToken.find(accessToken))?.destroy()
  world.free.script([call, { text: 'Done.' }])
  await using run = world.start(['exec', 'greet'])
  expect(await run.result).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('gated" is not') })
  expect(world.free.requests.at(-1)?.text).toContain('Hello from behind the gate.')
  expect(server.tokens).not.toContain(accessToken)
})
