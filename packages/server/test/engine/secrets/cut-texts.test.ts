import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ScriptedCall, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ModelEvent } from '@parley/models'
import { secretCorpus } from '@parley/testkit'
import { expect, it } from 'vitest'
import { calling, mcpPlace } from '../../tools/mcp/support/mcp-place.ts'
import { testPlace } from '../support/test-server.ts'

const key = secretCorpus('cut').find(({ name }) => name === 'github personal')?.secret ?? ''
const own = 'Zq7-own+value/of+this+run'
const env = { PATH: process.env['PATH'], SHOP_TOKEN: own }
const free = { sandbox: 'danger-full-access' } as const

/** A line in which a limit falls into the middle of a secret. */
const around = (secret: string, limit: number) => `${'x'.repeat(limit - 16)} ${secret} ${'y'.repeat(1000)}`
const update = (line: string) => `*** Begin Patch\n*** Update File: f\n@@\n-${line}\n+new\n*** End Patch`

interface Cut {
  readonly call: (secret: string) => ScriptedCall
  readonly file?: (secret: string) => string
  readonly says: RegExp
}

const cuts: Readonly<Record<string, Cut>> = {
  'a long line of a file that is read': {
    call: () => ({ name: 'read_file', args: { path: 'f' } }),
    file: (secret) => around(secret, 2000),
    says: /more bytes in this line/,
  },
  'a long line that a search finds': {
    call: () => ({ name: 'search', args: { pattern: 'xxx' } }),
    file: (secret) => around(secret, 500),
    says: /omitted end of long line|more matches/,
  },
  'the line that a patch may have meant': {
    call: () => ({ name: 'apply_patch', args: { patch: update(`${'x'.repeat(143)} y`) } }),
    file: (secret) => around(secret, 160),
    says: /The nearest lines/,
  },
  'arguments that are no JSON': {
    call: (secret) => ({ name: 'shell', args: `{${around(secret, 200)}` }),
    says: /They began: /,
  },
}

it.each(Object.entries(cuts))('%s shows no half of a secret', async (_what, { call, file, says }) => {
  for (const secret of [key, own]) {
    await using place = testPlace()
    if (file !== undefined) place.write('f', `${file(secret)}\n`)
    const model = scriptedModel({ calls: [call(secret)] })
    const { watched } = await place.talk({ model, env }, free)
    await watched.send('go')
    await watched.turnEnded()
    const told = JSON.stringify([watched.events, model.requests])
    expect(told).toMatch(says)
    expect(told).not.toContain(secret.slice(0, 10))
  }
})

it('an interrupted message shows no half of a secret', async () => {
  await using place = testPlace()
  const scripted = scriptedModel()
  const stream = async function* (_request: unknown, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    yield { type: 'textDelta', part: 't', text: `Here is what you asked for: ${key.slice(0, 30)}` }
    if (!signal.aborted) await once(signal, 'abort')
    yield { type: 'aborted' }
  }
  const model = { ...scripted, client: { ...scripted.client, stream } }
  const { watched, client } = await place.talk({ model })
  await watched.send('go')
  await watched.until(() => (watched.events.some(({ event }) => event.type === 'item.delta') ? true : undefined))
  await client.request('conversation/interrupt', { conversationId: watched.conversationId })
  await watched.turnEnded()
  expect(watched.items()).toContainEqual(
    expect.objectContaining({ type: 'agentMessage', text: expect.stringMatching(/^Here is what you/) }),
  )
  expect(JSON.stringify(watched.events)).not.toContain(key.slice(0, 10))
})

it('a cut answer of an MCP server shows no half of a secret', async () => {
  await using place = mcpPlace()
  place.configure('ugly', 'plain')
  const model = scriptedModel(calling('echo', { text: `${own} `.repeat(2_000) }))
  const { watched } = await place.talkTo(model, free, { env })
  await watched.send('go')
  await watched.turnEnded()
  const told = JSON.stringify([watched.events, model.requests])
  expect(told).toMatch(/bytes left out/)
  expect(told).not.toContain(own.slice(0, 10))
})

it('a folder whose name looks like a secret can be the working folder', async () => {
  await using place = testPlace()
  const cwd = join(place.cwd, key)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'f'), 'old\n')
  const model = scriptedModel({
    calls: [
      { name: 'shell', args: { command: 'cat f' } },
      { name: 'apply_patch', args: { patch: update('old') } },
    ],
  })
  const { watched } = await place.talk({ model, env }, { ...free, cwd })
  await watched.send('go')
  await watched.turnEnded()
  expect(watched.items()).toMatchObject([{}, { status: 'completed' }, { status: 'completed' }, {}])
})
