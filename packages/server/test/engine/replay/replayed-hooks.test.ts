import { describe, expect, it } from 'vitest'
import { hookWorld } from '../hooks/hook-world.ts'
import { scriptedModel } from '../support/scripted-model.ts'

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
