import { copyFileSync } from 'node:fs'
import type { EngineParts } from '@parley/engine/src/engine-parts.ts'
import { systemClock } from '@parley/engine/src/ports/clock-and-ids.ts'
import { createModelSources } from '@parley/engine/src/settings/model-sources.ts'
import { startModelServer } from '@parley/testkit'
import { expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

it.each([
  ['responses', 'gpt-5'],
  ['chat', 'qwen3'],
  ['anthropic', 'claude-sonnet-5'],
  ['gemini', 'gemini-3-pro-preview'],
])('a resumed request has the same bytes as the live one (%s)', async (wire, model) => {
  await using place = testPlace()
  await using provider = await startModelServer([
    {
      reasoning: 'hm',
      text: 'Looking.',
      calls: [
        { name: 'read_file', arguments: { path: 'a.txt' } },
        { name: 'list_dir', arguments: {} },
      ],
    },
    { text: 'It says alpha.' },
    { text: 'live' },
    { text: 'resumed' },
  ])
  const config = `model_provider = "p"\nmodel = "${model}"\n[model_providers.p]\nbase_url = "${provider.url}"\nwire_api = "${wire}"\n`
  place.write('../.parley/config.toml', config)
  place.write('a.txt', 'alpha\n')
  const env = { PATH: process.env['PATH'], HOME: place.root }
  const models: EngineParts['providers']['models'] = (values) =>
    createModelSources(values, {
      home: '/none',
      env,
      keys: { kept: () => new Set(), keyOf: () => Promise.resolve(null), learn: () => Promise.resolve() },
      clock: systemClock,
      recordings: { demo: '', unconfigured: '' },
      paced: false,
      recordTo: null,
      redact: (text) => text,
      onProblem: () => undefined,
    })

  const live = await place.talk({ models })
  const { conversationId } = live.watched
  await live.watched.send('one')
  await live.watched.turnEnded()
  await live.server.close()
  const log = place.path(conversationId)
  copyFileSync(log, `${log}.kept`)

  for (const _ of ['live', 'resumed']) {
    copyFileSync(`${log}.kept`, log)
    const server = place.start({ models })
    const client = await server.connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    await watched.send('two')
    await watched.turnEnded()
    await server.close()
  }
  const [, second, third, fourth] = provider.requests
  expect(fourth?.text).toBe(third?.text)
  const prefix = commonPrefix(second?.text ?? '', third?.text ?? '')
  expect(prefix).toBeGreaterThan((second?.text.length ?? 0) - 10)
})

function commonPrefix(a: string, b: string): number {
  const at = [...a].findIndex((character, index) => character !== b[index])
  return at < 0 ? a.length : at
}
