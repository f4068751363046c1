import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { hookWorld } from '../hooks/hook-world.ts'

describe('the explanation of a call', () => {
  it('names the hooks that ran for it, and what they did', async () => {
    await using place = hookWorld()
    place.hook('PreToolUse', 'exit 0')
    place.hook('PreToolUse', 'echo "not here" >&2; exit 2')
    const calls = [{ name: 'shell', args: { command: 'true' } }]
    const model = scriptedModel({ calls }, { text: 'ok' })
    const { watched, client } = await place.talk({ model }, { sandbox: 'danger-full-access' })
    await watched.send('go')
    await watched.turnEnded()
    const { rows } = await client.request('policy/why', { conversation: watched.conversationId })
    expect(rows.filter(({ about }) => ['decision', 'rule', 'hook'].includes(about))).toEqual([
      { about: 'decision', text: 'was denied: not here' },
      { about: 'rule', text: 'hook:h2' },
      { about: 'hook', text: expect.stringMatching(/^h1 \(PreToolUse, user\), \d\.\d s, let it pass$/) },
      { about: 'hook', text: expect.stringMatching(/^h2 \(PreToolUse, user\), \d\.\d s, stopped it: not here$/) },
    ])
    const conversation = watched.conversationId
    expect(await client.request('policy/replay', { conversation })).toMatchObject({ calls: [], skipped: 1 })
  })
})
