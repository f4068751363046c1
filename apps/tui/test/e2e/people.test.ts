import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCli } from '@parley/testkit'
import { expect, it } from 'vitest'
import { execWorld } from './exec-world.ts'

it('users are added, listed, given new tokens and removed', async () => {
  await using world = await execWorld()
  const file = join(world.home, 'users')
  await world.writeConfig(`users_file = ${JSON.stringify(file)}\n`)
  const user = (...args: string[]) => world.parley('user', ...args)
  const added = await user('add', 'ada', '--role', 'admin')
  expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^[\w-]{43}\n$/) })
  await user('add', 'bo', '--max-sandbox', 'read-only')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).not.toContain(added.stdout.trim())
  expect((await user('token', 'ada')).stdout).not.toBe(added.stdout)
  expect((await user('remove', 'bo')).exitCode).toBe(0)
  expect((await user('list')).stdout).toBe('ada  admin\nbo  removed\n')
  expect(await user('add', 'bo')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('bo was a user before'),
  })
  expect(await user('remove', 'cy')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('There is no user cy'),
  })
})

it('a user is removed also while the store of the servers is away', async () => {
  await using world = await execWorld()
  const file = join(world.home, 'users')
  await world.writeConfig(`users_file = ${JSON.stringify(file)}\n[store]\nservers = ["nats://127.0.0.1:1"]\n`)
  const user = (...args: string[]) => runCli(['user', ...args], { env: world.env, cwd: world.cwd })
  await user('add', 'bo')
  expect(await user('remove', 'bo')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await readFile(file, 'utf8')).toContain('bo removed')
})

it('without a file the commands say how to name one', async () => {
  await using world = await execWorld()
  expect(await world.parley('user', 'list')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('users_file'),
  })
})

it('a file with a fault is refused with its line', async () => {
  await using world = await execWorld()
  const file = join(world.home, 'users')
  await writeFile(file, 'ada admin\n', { mode: 0o600 })
  const run = await runCli(['user', 'list', '--users', file], { env: world.env, cwd: world.cwd })
  expect(run.exitCode).toBe(2)
  expect(run.stderr).toContain('line 1: after the role comes sha256:')
})

it('who reaches a conversation is listed and changed', async () => {
  await using world = await execWorld()
  await world.exec(['hi'])
  const [{ conversationId = '' }] = JSON.parse(`[${(await world.parley('list', '--json')).stdout.trim()}]`)
  const share = (...args: string[]) => world.parley('share', conversationId, ...args)
  expect((await share()).stdout).toContain('No user of a server reaches it')
  expect((await share('ada', 'owner')).stdout).toContain('ada is owner of')
  expect((await share('bo', 'reader')).exitCode).toBe(0)
  const { stdout: code, stderr } = await share('--link', '--days', '1')
  expect(code).toMatch(/^[\w-]{36}\.[\w-]{43}\n$/)
  const [, linkId = ''] = /--revoke (\w+)/.exec(stderr) ?? []
  expect((await share()).stdout).toContain(`ada  owner\nbo  reader\nlink ${linkId}  reads until`)
  await share('--revoke', linkId)
  await share('bo', 'none')
  expect((await share()).stdout).toBe('ada  owner\n')
  expect(await share('ada', 'none')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('keeps an owner') })
  expect(await share('ada', 'boss')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('The roles are') })
})
