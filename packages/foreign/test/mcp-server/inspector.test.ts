import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { startProgram } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { expect, test, vi } from 'vitest'
import { makeWorld, type World } from './world.ts'

// Each test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 60_000 })

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')
const launcher = join(dirname(manifest), 'clients', 'launcher', 'build', 'index.js')

async function inspect({ env, cwd }: World, target: readonly string[], args: readonly string[]) {
  await using run = startProgram([process.execPath, launcher, '--cli', ...target, ...args], {
    env,
    cwd,
    timeoutMs: 30_000,
  })
  const { exitCode, stdout, stderr } = await run.result
  return { exitCode, stderr, said: stdout === '' ? null : JSON.parse(stdout) }
}

test('the Inspector lists the tools over stdio, and finds nothing wrong with their schemas', async () => {
  await using world = await makeWorld()
  const listed = await inspect(world, world.command, ['--method', 'tools/list', '--strict'])
  expect(listed).toMatchObject({ exitCode: 0, stderr: '' })
  expect(listed.said.tools).toHaveLength(8)
})

test.runIf(isLong)('the Inspector calls a tool over stdio', async () => {
  await using world = await makeWorld([{ text: 'hello' }])
  const call = ['--method', 'tools/call', '--tool-name', 'codex', '--tool-arg', 'prompt=hi']
  const called = await inspect(world, world.command, call)
  expect(called).toMatchObject({ exitCode: 0, said: { structuredContent: { content: 'hello' } } })
})

const callOverHttp = ['--method', 'tools/call', '--tool-name', 'parley', '--tool-arg', 'prompt=hi']

test('the Inspector calls a tool over HTTP with the token', async () => {
  await using world = await makeWorld([{ text: 'hello' }])
  const { url, token } = await world.listen()
  const called = await inspect(world, [url], [...callOverHttp, '--header', `Authorization: Bearer ${token}`])
  expect(called).toMatchObject({ exitCode: 0, said: { structuredContent: { content: 'hello' } } })
})

// Without the token every request is refused (http-doors.test.ts).
test.runIf(isLong)('the Inspector is turned away without the token', async () => {
  await using world = await makeWorld()
  const { url } = await world.listen()
  expect((await inspect(world, [url], callOverHttp)).exitCode).not.toBe(0)
  expect(world.model.requests).toEqual([])
})
