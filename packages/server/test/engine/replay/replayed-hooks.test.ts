import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { hookWorld } from '../hooks/hook-world.ts'
import { fullAccess } from '../support/test-server.ts'

describe('a replay of a conversation with hooks', () => {
  it('is the same, and starts none of them', async () => {
    await using place = hookWorld()
    place.hook('PreToolUse', 'echo ran >> ran; grep -q "rm x" && { echo no >&2; exit 2; }; exit 0')
    place.hook('PostToolUse', 'echo "look again" >&2; exit 2')
    place.hook('Stop', 'exit 3')
    const calls = ['rm x', 'true'].map((command) => ({ name: 'shell', args: { command } }))
    const model = scriptedModel({ calls }, { text: 'ok' })
    const { watched, client } = await place.talk({ model }, { sandbox: 'danger-full-access' })
    await watched.send('go')
    await watched.turnEnded()
    const { difference } = await client.request('replay/run', { conversation: watched.conversationId })
    expect(difference).toBeNull()
    expect(place.read('ran')).toBe('ran\nran\n')
  })

  it('is the same where a crash cut a compaction after its hook, and the next process compacts', async () => {
    await using place = hookWorld()
    for (const on of ['SessionStart', 'PreCompact', 'Notification'] as const) place.hook(on, 'exit 0')
    const model = scriptedModel({ text: 'long '.repeat(500) }, { text: 'short' })
    const { server, client: first, watched } = await place.talk({ model }, { sandbox: 'danger-full-access' })
    const ids = { conversationId: watched.conversationId }
    await watched.send('go')
    await watched.turnEnded()
    await first.request('conversation/compact', ids)
    await watched.turnEnded()
    await server.close()
    const lines = place.logLines(ids.conversationId)
    const summary = lines.findIndex((line) => line.includes('"item.delta"') && line.includes('short'))
    place.writeLog(ids.conversationId, lines.slice(0, summary + 1))
    await using again = place.start({ model: scriptedModel({ text: 'short' }), ceiling: fullAccess })
    const client = await again.connect()
    await client.request('conversation/resume', ids)
    const resumed = await client.watch(ids.conversationId)
    await client.request('conversation/compact', ids)
    await resumed.until(({ window }) => window.some(({ item }) => item.title.startsWith('Compacted')))
    await resumed.until(({ core }) => core.turn === null)
    const { difference } = await client.request('replay/run', { conversation: ids.conversationId })
    expect(difference).toBeNull()
  })

  it('is the same where hooks took long', async () => {
    await using place = hookWorld()
    const moments = ['SessionStart', 'PreToolUse', 'PostToolUse', 'Stop'] as const
    for (const on of moments) place.hook(on, `until [ -e ${on} ]; do sleep 0.02; done`)
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'true' } }] }, { text: 'ok' })
    const { watched, client } = await place.talk({ model }, { sandbox: 'danger-full-access' })
    await watched.send('go')
    for (const on of moments) {
      await watched.until(({ core }) => (core.turn?.hook?.on === on ? true : undefined))
      place.write(on, '')
    }
    await watched.turnEnded()
    const { difference } = await client.request('replay/run', { conversation: watched.conversationId })
    expect(difference).toBeNull()
  })
})
