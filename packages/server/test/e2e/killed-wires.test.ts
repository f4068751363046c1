import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { startModelServer, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { processPlace } from './support/spawned-server.ts'

const wires = [
  ['responses', 'gpt-5'],
  ['chat', 'qwen3'],
  ['anthropic', 'claude-sonnet-5'],
  ['gemini', 'gemini-3-pro-preview'],
] as const

describe.each(wires)('a conversation on the %s wire', { timeout: 60_000 }, (wire, modelName) => {
  it('asks with the same bytes after kill -9 and resume as the killed server did', async () => {
    const calls = ['a.txt', 'b.txt'].map((path) => ({ name: 'read_file', arguments: { path } }))
    await using model = await startModelServer([
      { reasoning: 'hm', text: 'Looking.', calls },
      { text: 'They say alpha and beta.' },
      { text: 'live' },
      { text: 'resumed' },
    ])
    await using place = processPlace(model.url)
    const config = `${place.root}/.parley/config.toml`
    const text = readFileSync(config, 'utf8').replace('"m1"', `"${modelName}"`)
    writeFileSync(config, text.replace('wire_api = "responses"', `wire_api = "${wire}"`))
    place.write('a.txt', 'alpha\n')
    place.write('b.txt', 'beta\n')

    const killed = place.spawn()
    const client = await killed.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const live = await client.watch(conversationId)
    await live.send('one')
    await live.turnEnded()
    const log = place.path(conversationId)
    copyFileSync(log, `${log}.kept`)
    await live.send('two')
    await waitUntil(() => model.requests.length === 3, { what: 'the request of the second turn' })
    killed.child.kill('SIGKILL')
    await killed.exited
    copyFileSync(`${log}.kept`, log)

    const resumed = await place.spawn().connect()
    await resumed.request('conversation/resume', { conversationId })
    const watched = await resumed.watch(conversationId)
    await watched.send('two')
    await watched.turnEnded()
    expect(model.requests.map(({ wire: spoken }) => spoken)).toEqual([wire, wire, wire, wire])
    expect(model.requests[3]?.text).toBe(model.requests[2]?.text)
  })
})
