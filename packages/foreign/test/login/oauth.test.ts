import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isLong } from '@parley/testkit/long-runs'
import { expect, test, vi } from 'vitest'
import { Browser, type OAuthWorld, oauthWorld, typeCode } from './oauth-world.ts'

// Real processes on a machine that does other things as well; the device flow waits 5 s by its standard.
vi.setConfig({ testTimeout: 60_000 })

async function logIn(world: OAuthWorld): Promise<void> {
  await using run = world.start(['login', '--oauth'])
  const { url } = await world.asked(run)
  expect(await new Browser().open(url)).toMatchObject({ status: 200 })
  expect(await run.result).toMatchObject({ exitCode: 0 })
}

function kept({ credentials }: OAuthWorld) {
  return JSON.parse(readFileSync(credentials, 'utf8')).entries['provider/gate']?.credential
}

test('a login by browser takes only its own redirect, keeps its tokens for the user alone, and is used', async () => {
  await using world = await oauthWorld([{ text: 'Here.' }])
  await using run = world.start(['login', 'gate', '--oauth'])
  const { url } = await world.asked(run)
  const redirect = new URL(url).searchParams.get('redirect_uri') ?? ''
  expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256')
  const other = `${redirect}?code=stolen&state=of-somebody-else`
  const refused = await Promise.all([
    fetch(other),
    fetch(redirect),
    fetch(`${redirect}/more`),
    fetch(other.replace('127.0.0.1', 'localhost')),
  ])
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 404, 404])
  expect((await new Browser().open(url)).text).toContain('go back to the terminal')
  const result = await run.result
  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Logged in to gate. The login is in') })
  expect(statSync(world.credentials).mode & 0o777).toBe(0o600)
  const { accessToken, refreshToken } = kept(world)
  await using exec = world.start(['exec', '--record', join(world.home, 'recorded.jsonl'), `say ${accessToken}`])
  expect(await exec.result).toMatchObject({ exitCode: 0, stdout: 'Here.\n' })
  const files = readdirSync(world.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const leaks = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => path !== world.credentials)
    .filter((path) => [accessToken, refreshToken].some((token) => readFileSync(path, 'latin1').includes(token)))
  expect(leaks).toEqual([])
  expect(world.model.requests[0]?.text).not.toContain(accessToken)
})

test('four processes that renew a login at once do not lose it', async () => {
  await using world = await oauthWorld(
    Array.from({ length: 8 }, () => ({ text: 'Here.' })),
    30,
  )
  await logIn(world)
  const before = kept(world)
  for (const _ of isLong ? ['once', 'again'] : ['once']) {
    const runs = Array.from({ length: 4 }, () => world.start(['exec', 'hi']))
    const results = await Promise.all(runs.map((run) => run.result))
    expect(results.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
      Array.from({ length: 4 }, () => ({ exitCode: 0, stderr: expect.not.stringContaining('login') })),
    )
  }
  expect(kept(world).refreshToken).not.toBe(before.refreshToken)
})

test('a login by code is for a browser anywhere', async () => {
  await using world = await oauthWorld()
  await using run = world.start(['login', '--device'])
  const { url, code } = await world.asked(run)
  expect(await typeCode(url, code)).toContain('Sign-in Success')
  expect(await run.result).toMatchObject({ exitCode: 0 })
  expect(kept(world)).toMatchObject({ kind: 'oauth', clientId: 'parley-test' })
})

test('a token that its server has ended early is renewed, and the request sent again', async () => {
  await using world = await oauthWorld([{ text: 'Here.' }])
  await logIn(world)
  const { accessToken } = kept(world)
  await (await world.provider.AccessToken.find(accessToken))?.destroy()
  await using run = world.start(['exec', 'hi'])
  expect(await run.result).toMatchObject({ exitCode: 0, stdout: 'Here.\n' })
  expect(kept(world).accessToken).not.toBe(accessToken)
})

test('a login that has ended at its server says what to do', async () => {
  await using world = await oauthWorld([], 30)
  await logIn(world)
  const { refreshToken } = kept(world)
  await (await world.provider.RefreshToken.find(refreshToken))?.destroy()
  await using run = world.start(['exec', 'hi'])
  const { exitCode, stderr } = await run.result
  expect(exitCode).toBe(3)
  expect(stderr).toMatch(/invalid_grant.*Log in again/)
})

test('a provider with an issuer needs a login, and says so', async () => {
  await using world = await oauthWorld()
  await using run = world.start(['exec', 'hi'])
  expect(await run.result).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('parley login gate --oauth') })
})

test('a logout ends the login at the issuer, too', async () => {
  await using world = await oauthWorld()
  await logIn(world)
  const { accessToken, refreshToken } = kept(world)
  expect(await world.provider.RefreshToken.find(refreshToken)).toBeDefined()
  await using run = world.start(['logout', 'gate'])
  expect(await run.result).toMatchObject({
    exitCode: 0,
    stdout: 'The login to gate is forgotten here, and its tokens are revoked.\n',
  })
  expect(kept(world)).toBeUndefined()
  expect(await world.provider.RefreshToken.find(refreshToken)).toBeUndefined()
  expect(await world.provider.AccessToken.find(accessToken)).toBeUndefined()
})
