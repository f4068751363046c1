import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { fullAccess, type TestPlace, testPlace } from '../support/test-server.ts'

const secret = 'correct-horse-battery-staple'

/** Has one turn with an output on a server of its own, which is closed. */
async function spoken(place: TestPlace, command: string) {
  const model = scriptedModel({ calls: [{ name: 'shell', args: { command } }] }, { text: `It is ${secret}.` })
  const talk = await place.talk({ model }, { sandbox: 'danger-full-access' })
  await talk.watched.send('one')
  await talk.watched.turnEnded()
  await talk.server.close()
  return talk.watched
}

describe('an export', () => {
  it('has the state and the items with marks for secrets that are known by now', async () => {
    await using place = testPlace()
    const { conversationId, state } = await spoken(place, `echo ${secret}`)
    expect(JSON.stringify(state)).toContain(secret)
    const client = await place.start({ env: { MY_PASSWORD: secret }, ceiling: fullAccess }).connect()
    const exported = await client.request('conversation/export', { conversation: conversationId.slice(-8) })
    expect(exported).toMatchObject({
      conversationId,
      more: false,
      core: { seq: state.core.seq, meta: { title: 'one' } },
    })
    expect(exported.items.map(({ item }) => item.type)).toEqual(state.window.map(({ item }) => item.type))
    expect(JSON.stringify(exported)).not.toContain(secret)
    const { items } = await client.request('conversation/read', { conversationId })
    expect(JSON.stringify(items)).toContain(secret)
  })

  it('comes in pages, of which only the first has the state', async () => {
    await using place = testPlace()
    const { conversationId, state } = await spoken(place, 'echo printed')
    const client = await place.start({ ceiling: fullAccess }).connect()
    const wanted = { cwd: place.cwd, limit: 2 }
    const last = await client.request('conversation/export', wanted)
    const before = last.items[0]?.seq ?? 0
    const first = await client.request('conversation/export', { ...wanted, before })
    expect(last).toMatchObject({ conversationId, more: true })
    expect(first).not.toHaveProperty('core')
    expect(first.more).toBe(false)
    expect([...first.items, ...last.items]).toEqual(state.window)
  })

  it('without outputs has the command and not what it printed', async () => {
    await using place = testPlace()
    const { conversationId } = await spoken(place, 'echo out$((40 + 2))')
    const client = await place.start({ ceiling: fullAccess }).connect()
    const wanted = { conversation: conversationId, withoutOutputs: true }
    const text = JSON.stringify(await client.request('conversation/export', wanted))
    expect(text).toContain('out$((40 + 2))')
    expect(text).not.toContain('out42')
  })

  it('reads a conversation with a question that waits, and names one that is not there', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'touch made' } }] })
    const talk = await place.talk({ model }, { approvalPolicy: 'untrusted' })
    await talk.watched.send('one')
    await talk.watched.approval()
    const { core } = await talk.client.request('conversation/export', { cwd: place.cwd })
    expect(Object.values(core?.approvals ?? {})).toMatchObject([{ state: 'pending' }])
    await expect(talk.client.request('conversation/export', { conversation: 'nope' })).rejects.toMatchObject({
      data: { code: 'conversationNotFound' },
    })
  })
})
