import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tempHome } from '@parley/testkit'
import { expect, test } from 'vitest'
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

async function listed(check: string | undefined): Promise<unknown> {
  await using home = await tempHome()
  const programs = join(home.path, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'server.cjs'), careless)
  writeFileSync(join(programs, 'server.mjs'), `import './server.cjs'\n`)
  const launch: Launch = {
    program: { version: '0', build: '0', moduleUrl: pathToFileURL(join(programs, 'parley.mjs')).href, serverEnv: {} },
    home: home.env.PARLEY_HOME,
    env: { ...process.env, ...home.env, PARLEY_CHECK_RESULTS: check },
    ceiling: [],
    server: null,
    streams: process,
    early: null,
  }
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
