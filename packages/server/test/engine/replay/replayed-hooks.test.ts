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
})
