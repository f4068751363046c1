import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const free = { sandbox: 'danger-full-access' } as const

/** Starts a command in the background by a call of the model. */
async function talkWithProcess(place: ReturnType<typeof testPlace>, command: string) {
  const call = { name: 'shell', args: { command, background: true } }
  const talk = await place.talk({ model: scriptedModel({ calls: [call] }, { text: 'ok' }, { text: 'ok' }) }, free)
  await talk.watched.send('go')
  await talk.watched.turnEnded()
  const [itemId = ''] = Object.keys(talk.watched.state.core.background ?? {})
  const ids = { conversationId: talk.watched.conversationId, itemId }
  return { ...talk, ids }
}

describe('conversation/process/read', () => {
  it('waits for more output than the client has, and for the end', async () => {
    await using place = testPlace()
    const command =
      'echo one; until [ -e go ]; do sleep 0.02; done; echo two; until [ -e end ]; do sleep 0.02; done; exit 3'
    const { client, ids } = await talkWithProcess(place, command)
    const read = (more: object) => client.request('conversation/process/read', { ...ids, waitMs: 10_000, ...more })
    const first = await read({})
    expect(first).toEqual({
      end: null,
      input: 'pipe',
      totalBytes: 4,
      omittedBytes: 0,
      lines: [{ number: 1, text: 'one' }],
      of: 1,
    })
    const later = read({ changedFrom: first.totalBytes, tail: 1 })
    place.write('go', '')
    expect(await later).toMatchObject({ end: null, totalBytes: 8, lines: [{ number: 2, text: 'two' }], of: 2 })
    const end = read({ changedFrom: 8 })
    place.write('end', '')
    expect((await end).end).toMatch(/^exit 3 after /)
  })

  it('finds lines as the model does, and rejects a pattern that looks like a regular expression', async () => {
    await using place = testPlace()
    const { client, ids } = await talkWithProcess(place, 'seq 1 30; exec sleep 600')
    const read = (search: string) => client.request('conversation/process/read', { ...ids, search })
    await waitUntil(async () => (await read('30')).of === 1, { what: 'the last line' })
    expect((await read('1*3|20')).lines).toEqual([
      { number: 13, text: '13' },
      { number: 20, text: '20' },
    ])
    await expect(read('^3$')).rejects.toMatchObject({ data: { code: 'invalidParams', field: 'search' } })
    await expect(client.request('conversation/process/read', { ...ids, itemId: 'i-other' })).rejects.toMatchObject({
      data: { code: 'processNotFound' },
    })
  })

  it('shows no secret', async () => {
    await using place = testPlace()
    const secret = `sk-ant-api03-${'a1B2c3D4'.repeat(10)}`
    const { client, ids } = await talkWithProcess(place, `echo ${secret}; exec sleep 600`)
    const waited = { ...ids, waitMs: 10_000 }
    const { lines } = await client.request('conversation/process/read', waited)
    expect(lines).toEqual([{ number: 1, text: expect.stringMatching(/^\[secret:anthropic:\w+\]$/) }])
  })

  it("shows output of a user's own command while it runs", async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ text: 'ok' }) }, free)
    const { conversationId } = watched
    const { itemId } = await client.request('conversation/runShell', {
      conversationId,
      command: 'echo mine; until [ -e go ]; do sleep 0.02; done; echo mine too; until [ -e end ]; do sleep 0.02; done',
    })
    await watched.until(({ core }) => (core.open[itemId]?.output === 'mine\n' ? true : undefined))
    const { lines } = await client.request('conversation/process/read', { conversationId, itemId })
    expect(lines).toEqual([{ number: 1, text: 'mine' }])
    await client.request('conversation/process/tellWhen', { conversationId, itemId, pattern: 'mine' })
    place.write('go', '')
    const told = await watched.until(() =>
      watched.items().find(({ title }) => title.startsWith('Printed in the background')),
    )
    expect(told).toMatchObject({ text: 'mine too' })
    expect(told).not.toHaveProperty('printed')
    place.write('end', '')
    await watched.until(({ core }) => (core.open[itemId] === undefined ? true : undefined))
    expect(await client.request('conversation/process/read', { conversationId, itemId })).toMatchObject({
      end: expect.stringMatching(/^exit 0 after /),
      of: 2,
    })
  })
})

describe('conversation/process/tellWhen', () => {
  it('has a notice recorded once, of which the model is told', async () => {
    await using place = testPlace()
    const command = 'until [ -e go ]; do sleep 0.02; done; echo now ready; echo still ready; exec sleep 600'
    const { client, watched, ids } = await talkWithProcess(place, command)
    await client.request('conversation/process/tellWhen', { ...ids, pattern: 'READY' })
    place.write('go', '')
    const told = await watched.until(() =>
      watched.items().find((item) => item.type === 'notice' && item.printed === ids.itemId),
    )
    expect(told).toMatchObject({ text: 'now ready' })
    await expect(client.request('conversation/process/tellWhen', { ...ids, pattern: '*' })).rejects.toMatchObject({
      data: { code: 'invalidParams', field: 'pattern' },
    })
  })

  it('ends the wait whose line has come, and no other, also where a secret is in what it waits for', async () => {
    await using place = testPlace()
    const secret = `sk-ant-api03-${'a1B2c3D4'.repeat(10)}`
    const command = 'until [ -e go ]; do sleep 0.02; done; echo up; exec sleep 600'
    const { client, watched, ids } = await talkWithProcess(place, command)
    for (const pattern of [`${secret}|up`, 'ready'])
      await client.request('conversation/process/tellWhen', { ...ids, pattern })
    place.write('go', '')
    // Both are recorded in one write.
    await watched.until(() => watched.items().some((item) => item.type === 'notice' && item.printed === ids.itemId))
    const { waits } = await watched.until(({ core }) => (core.waits?.length === 1 ? core : undefined))
    expect(waits).toMatchObject([{ itemId: ids.itemId, pattern: 'ready' }])
  })
})
