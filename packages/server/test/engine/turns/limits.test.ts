import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const megabyte = 1024 * 1024

describe('content larger than the limit of an event', () => {
  it('is rejected as a message and as an edit', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const input = [{ type: 'text' as const, text: 'x'.repeat(16 * megabyte + 5) }]
    const { conversationId } = watched
    expect(await client.refused('conversation/sendMessage', { conversationId, input })).toMatchObject({
      code: 'invalidParams',
      message: expect.stringContaining('may have 16.0 MiB of text, this one has 5 bytes more'),
      detail: { field: 'input' },
    })
    expect(
      await client.refused('conversation/inbox/edit', { conversationId, messageId: 'm', content: input }),
    ).toMatchObject({ code: 'invalidParams' })
    await watched.send('short')
    await watched.turnEnded()
  })

  it('ends the turn when the model does not stop, and the conversation continues', async () => {
    await using place = testPlace()
    const text = Array.from({ length: 6 }, () => 'x'.repeat(megabyte))
    const { watched } = await place.talk({ model: scriptedModel({ text, hang: true }, { text: 'ok' }) })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'failed', failure: { code: 'responseTooLarge' } })
    await watched.send('again')
    await watched.turnEnded()
    expect(watched.items().at(-1)).toMatchObject({ text: 'ok' })
  })

  it('is named by size and hash when a patch deletes it', async () => {
    await using place = testPlace()
    place.write('big.txt', 'line\n'.repeat(400_000))
    const patch = '*** Begin Patch\n*** Delete File: big.txt\n*** End Patch'
    const { watched } = await place.talk({
      model: scriptedModel({ calls: [{ name: 'apply_patch', args: { patch } }] }),
    })
    await watched.send('go')
    const { detail } = await watched.approval()
    expect(detail.length).toBeLessThan(megabyte)
    expect(detail).toMatch(/… 400000 removed lines not shown: 2000000 bytes, sha256:[0-9a-f]{64}\n$/)
    await watched.decide('approved')
    await watched.turnEnded()
    expect(() => place.read('big.txt')).toThrow()
    const longest = Math.max(...place.logLines(watched.conversationId).map((line) => line.length))
    expect(longest).toBeLessThan(2 * megabyte)
  })
})
