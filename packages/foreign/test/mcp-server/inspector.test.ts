import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { startProgram } from '@parley/testkit'
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

test('the Inspector lists the tools, finds nothing wrong with their schemas and calls one, over stdio', async () => {
  await using world = await makeWorld([{ text: 'hello' }])
  const [listed, called] = await Promise.all([
    inspect(world, world.command, ['--method', 'tools/list', '--strict']),
    inspect(world, world.command, ['--method', 'tools/call', '--tool-name', 'codex', '--tool-arg', 'prompt=hi']),
  ])
  expect(listed).toMatchObject({ exitCode: 0, stderr: '' })
  expect(listed.said.tools).toHaveLength(8)
  expect(called).toMatchObject({ exitCode: 0, said: { structuredContent: { content: 'hello' } } })
})

test('the Inspector calls a tool over HTTP with the token, and is turned away without', async () => {
  await using world = await makeWorld([{ text: 'hello' }])
  const { url, token } = await world.listen()
  const call = ['--method', 'tools/call', '--tool-name', 'parley', '--tool-arg', 'prompt=hi']
  const [called, refused] = await Promise.all([
    inspect(world, [url], [...call, '--header', `Authorization: Bearer ${token}`]),
    inspect(world, [url], call),
  ])
  expect(called).toMatchObject({ exitCode: 0, said: { structuredContent: { content: 'hello' } } })
  expect(refused.exitCode).not.toBe(0)
  expect(world.model.requests).toHaveLength(1)
})
