import { rmSync } from 'node:fs'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

describe("the user's own command", () => {
  it('runs without a question, is recorded with the user as its author and reaches the model', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'ok' })
    const { client, watched } = await place.talk({ model })
    const { conversationId } = watched
    const { itemId } = await client.request('conversation/runShell', {
      conversationId,
      command: 'touch mine; echo done',
    })
    await watched.until((state) => state.window.find(({ item }) => item.id === itemId))
    expect(watched.items()).toMatchObject([
      { type: 'shellCommand', status: 'completed', exitCode: 0, output: { head: 'done\n' }, by: { name: 'test' } },
    ])
    expect(place.read('mine')).toBe('')
    await watched.send('see?')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests[0]?.entries)).toContain(
      'I ran this myself: touch mine; echo done\\nexit 0\\ndone',
    )
  })

  it('is stopped by an interrupt when no turn runs', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const { conversationId } = watched
    const { itemId } = await client.request('conversation/runShell', { conversationId, command: 'sleep 600' })
    expect(await client.request('conversation/interrupt', { conversationId })).toEqual({ interrupted: true })
    const ended = await watched.until((state) => state.window.find(({ item }) => item.id === itemId))
    expect(ended.item).toMatchObject({ status: 'interrupted' })
  })

  it('is stopped alone, while the turn goes on', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ hang: true }) })
    const { conversationId } = watched
    const input = [{ type: 'text' as const, text: 'go' }]
    await client.request('conversation/sendMessage', { conversationId, messageId: 'm1', input })
    await watched.until(({ core }) => core.turn ?? undefined)
    const { itemId } = await client.request('conversation/runShell', { conversationId, command: 'sleep 600' })
    expect(await client.request('conversation/interrupt', { conversationId, shell: true })).toEqual({
      interrupted: true,
    })
    const ended = await watched.until((state) => state.window.find(({ item }) => item.id === itemId))
    expect(ended.item).toMatchObject({ status: 'interrupted' })
    expect(watched.state.core.turn).not.toBeNull()
  })

  it('gives the reason when it cannot start', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const { conversationId } = watched
    const { itemId } = await client.request('conversation/runShell', {
      conversationId,
      command: 'no-such-program-here',
    })
    const ended = await watched.until((state) => state.window.find(({ item }) => item.id === itemId))
    expect(ended.item).toMatchObject({ status: 'failed', exitCode: 127 })
  })

  it('gives the reason when its folder is gone', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    rmSync(place.cwd, { recursive: true })
    const { conversationId } = watched
    const { itemId } = await client.request('conversation/runShell', { conversationId, command: 'ls' })
    const ended = await watched.until((state) => state.window.find(({ item }) => item.id === itemId))
    const message = `could not start: The working directory ${place.cwd} is not there: it was removed or never made`
    expect(ended.item).toMatchObject({ status: 'failed', failure: { code: 'spawnFailed', message } })
  })
})
