import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type TempHome, tempHome } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { connect } from '../../src/cli/connect.ts'
import type { Launch } from '../../src/cli/launch-server.ts'

/** A server whose list of conversations lacks the cursor of the next page. */
const careless = `
  const results = {
    initialize: { protocolVersion: 2, serverInfo: { name: 's', version: '0', build: '0' }, clientId: 'c', home: '/', capabilities: [] },
    'conversation/list': { conversations: [] },
    'server/diagnostics': { addresses: [], clients: [], conversations: [] },
  }
  process.stdin.on('end', () => process.exit())
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }))
  })`

/** Returns how a server of this code is launched. */
function launchOf(home: TempHome, server: string, env: Launch['env'] = {}): Launch {
  const programs = join(home.path, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'server.cjs'), server)
  writeFileSync(join(programs, 'server.mjs'), `import './server.cjs'\n`)
  return {
    program: { version: '0', build: '0', moduleUrl: pathToFileURL(join(programs, 'parley.mjs')).href, serverEnv: {} },
    home: home.env.PARLEY_HOME,
    env: { ...process.env, ...home.env, ...env },
    ceiling: [],
    server: null,
    streams: process,
    early: null,
  }
}

async function listed(check: string | undefined): Promise<unknown> {
  await using home = await tempHome()
  const launch = launchOf(home, careless, { PARLEY_CHECK_RESULTS: check })
  const parley = await connect(launch, { clientName: 'test' })
  try {
    return await parley.list()
  } finally {
    await parley.detach()
  }
}

test('a result that does not fit the protocol is an error where PARLEY_CHECK_RESULTS is 1', async () => {
  await expect(listed('1')).rejects.toThrow('nextCursor')
})

test('results are not checked for users', async () => {
  expect(await listed(undefined)).toEqual({ conversations: [] })
})

test('a server that waits for its store is quoted on stderr, and its end without one has the exit code of storage', async () => {
  await using home = await tempHome()
  const seen = join(home.path, 'seen')
  const waiting = `
    console.error('parley server: The store nats://a does not answer. Waiting for it.')
    const look = () => require('node:fs').existsSync(${JSON.stringify(seen)}) && end()
    const end = () => {
      console.error('parley server: The store nats://a cannot be reached (timeout).')
      process.exit(75)
    }
    setInterval(look, 20)`
  const said: string[] = []
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.push(String(text))
    writeFileSync(seen, '')
    return true
  })
  try {
    const failure = await connect(launchOf(home, waiting), { clientName: 'test' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'storageFailed', exitCode: 9 })
    expect(failure).toMatchObject({ message: 'The store nats://a cannot be reached (timeout).' })
    expect(said).toEqual(['parley server: The store nats://a does not answer. Waiting for it.\n'])
  } finally {
    stderr.mockRestore()
  }
})
