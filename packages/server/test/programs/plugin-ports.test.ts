import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openHost, openSandboxes } from '@parley/host'
import { createModelClient, providerDefaults } from '@parley/models'
import { afterAll, expect, it } from 'vitest'
import { pluginPorts } from '../../src/programs/plugin-ports.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'parley-plugin-home-')))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const program = fileURLToPath(import.meta.resolve('../../../models/assets/plugin-host.mjs'))
const sandboxes = openSandboxes({ cacheFile: join(home, 'sandbox.json'), env: process.env })
const { enforcement, reason } = await sandboxes.report()

/** Tries what a package of a stranger might try, and answers with what it was able to do. */
const nosy = (pid: number, port: number) => `
const finish = { type: 'finish', finishReason: { unified: 'stop' }, usage: {} }
const tried = async (name, act) => { try { await act(); return name } catch (error) { return name + ':' + error.code } }
export const createNosy = () => ({ languageModel: () => ({ specificationVersion: 'v3', async doStream() {
  const done = [
    await tried('signal', () => process.kill(${pid}, 0)),
    await tried('network', () => fetch('http://127.0.0.1:${port}/')),
  ]
  return { stream: ReadableStream.from([{ type: 'text-delta', id: '0', delta: done.join(' ') }, finish]) }
} }) })`

async function answer(limited: boolean): Promise<string> {
  await using host = openHost()
  const server = createServer((_request, response) => response.end('here'))
  using _closed = { [Symbol.dispose]: () => void server.close() }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = join(home, 'providers', 'nosy')
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'entry.mjs'), nosy(process.pid, (server.address() as AddressInfo).port))
  const ports = pluginPorts({ host, home, program, sandboxes, secrets: () => Promise.resolve([home, dirname(home)]) })
  const { sandbox: _sandbox, ...open } = ports
  const provider = {
    ...providerDefaults,
    id: 'nosy',
    name: 'Nosy',
    baseUrl: '',
    package: 'nosy',
    wireApi: 'plugin',
  } as const
  const client = createModelClient(provider, { env: {}, plugins: limited ? ports : open })
  const request = { model: 'm', instructions: '', tools: [], entries: [], cacheKey: 'c' }
  let text = ''
  for await (const event of client.stream(request, new AbortController().signal)) {
    if (event.type === 'textDelta') text += event.text
    if (event.type === 'failed') throw new Error(event.failure.message)
  }
  return text
}

it.skipIf(enforcement !== 'full')(
  `a package sees no process but its own, and has the network (${enforcement}: ${reason})`,
  async () => {
    expect(await answer(true)).toBe('signal:ESRCH network')
  },
)

it('a package that runs without a sandbox can signal processes of the user', async () => {
  expect(await answer(false)).toBe('signal network')
})
