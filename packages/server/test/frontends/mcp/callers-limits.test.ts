import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, test } from 'vitest'
import { fullAccess, testPlace } from '../../engine/support/test-server.ts'
import { type Hand, takeHand } from './support/hand.ts'

const usual = { sandbox: 'workspace-write', neverWithFullAccess: false, network: false, unixSockets: false } as const
const danger = { sandbox: 'danger-full-access' } as const
const networked = { config: { sandbox_workspace_write: { network_access: true } } }

const say = (hand: Hand, conversationId: string, more: object = {}) =>
  hand.call('conversationSendMessage', {
    conversation_id: conversationId,
    content: [{ type: 'text', text: 'x' }],
    ...more,
  }).answer

describe('a conversation that is live in a process with a higher ceiling', () => {
  test.each([
    ['full access', danger, 'has danger-full-access'],
    ['network', networked, 'has network for its commands'],
  ])('is not reached where it has %s', async (_, params, fault) => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'a' })
    const { server, watched } = await place.talk({ model, ceiling: fullAccess }, params)
    await watched.send('hi')
    await watched.turnEnded()
    await using hand = await takeHand(server, { ceiling: usual })
    const threadId = watched.conversationId
    const reply = await hand.call('codex-reply', { prompt: 'x', threadId }).answer
    expect(reply).toMatchObject({ isError: true, structuredContent: { content: expect.stringContaining(fault) } })
    const sent = await say(hand, threadId)
    expect(sent.structuredContent).toMatchObject({ status: 'error', message: expect.stringContaining(fault) })
    expect(model.requests).toHaveLength(1)
  })

  test.each([
    [danger, '--max-sandbox danger-full-access'],
    [{ config: { sandbox_mode: 'danger-full-access' } }, '--max-sandbox danger-full-access'],
    [networked, '"sandbox_workspace_write" is not for callers'],
    [{ config: { 'mcp_servers.x.command': 'touch' } }, '"mcp_servers" is not for callers'],
  ])('is not changed by %j of a message', async (more, fault) => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'a' })
    const { server, watched } = await place.talk({ model, ceiling: fullAccess })
    await watched.send('hi')
    await watched.turnEnded()
    const { seq } = watched.state.core
    await using hand = await takeHand(server, { ceiling: usual })
    const sent = await say(hand, watched.conversationId, more)
    expect(sent.structuredContent).toMatchObject({ status: 'error', message: expect.stringContaining(fault) })
    expect(watched.state.core.seq).toBe(seq)
  })
})

test('a message cannot change what a new conversation could not have', async () => {
  await using place = testPlace()
  const { server, watched } = await place.talk({ model: scriptedModel({ text: 'a' }) })
  await watched.send('hi')
  await watched.turnEnded()
  await using hand = await takeHand(server)
  const sent = await say(hand, watched.conversationId, networked)
  expect(sent.structuredContent).toMatchObject({ status: 'error', message: expect.stringContaining('--max-sandbox') })
  expect(watched.state.core.settings.network).toBeUndefined()
})
