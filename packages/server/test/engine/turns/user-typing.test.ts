import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const free = { sandbox: 'danger-full-access' } as const

/** Starts a command in the background by a call of the model. */
async function talkWithProcess(place: ReturnType<typeof testPlace>, command: string, more: object = {}) {
  const call = { name: 'shell', args: { command, background: true, ...more } }
  const model = scriptedModel({ calls: [call] }, { text: 'ok' }, { text: 'ok' })
  const talk = await place.talk({ model }, free)
  await talk.watched.send('go')
  await talk.watched.turnEnded()
  const [itemId = ''] = Object.keys(talk.watched.state.core.background ?? {})
  const ids = { conversationId: talk.watched.conversationId, itemId }
  const read = () => talk.client.request('conversation/process/read', ids)
  return {
    ...talk,
    model,
    ids,
    read,
    type: (params: object) => talk.client.request('conversation/process/write', { ...ids, ...params }),
    prints: (text: string) =>
      waitUntil(async () => (await read()).lines.some((line) => line.text.includes(text)), { what: text }),
    typed: () => talk.watched.items().filter((item) => item.type === 'notice' && item.typed === ids.itemId),
  }
}

const echo = 'while read -r l; do echo "got $l"; done; echo over; exec sleep 600'

describe('conversation/process/write', () => {
  it('types lines in their order and ends the input; each is in the log with its author, and the model is told', async () => {
    await using place = testPlace()
    const { type, prints, typed, read, watched, model } = await talkWithProcess(place, echo)
    expect((await read()).input).toBe('pipe')
    const [one, two] = await Promise.all([type({ text: 'one' }), type({ text: 'two', close: true })])
    expect([one, two]).toEqual([{ taken: true }, { taken: true }])
    await prints('over')
    expect((await read()).lines.map(({ text }) => text)).toEqual(['got one', 'got two', 'over'])
    expect(typed()).toMatchObject([
      { code: 'backgroundTyped', title: expect.stringMatching(/^Typed into while read/), text: 'one\n' },
      { text: 'two\n', by: { clientId: expect.any(String) } },
    ])
    await expect(type({ text: 'late' })).rejects.toMatchObject({ data: { code: 'processTakesNoInput' } })
    expect(typed()).toHaveLength(2)
    await watched.send('go on')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests.at(-1)?.entries)).toMatch(/The user typed .{1,2}one/)
  })

  it('types into a terminal, which it resizes, and which takes Ctrl+C', async () => {
    await using place = testPlace()
    const command = 'trap "echo caught" INT; tty; while :; do read -r l && stty size; done'
    const { type, prints, typed, read } = await talkWithProcess(place, command, { tty: true })
    await prints('/dev/')
    expect((await read()).input).toBe('terminal')
    await type({ size: { rows: 10, cols: 30 } })
    expect(typed()).toEqual([])
    await type({ text: '' })
    await prints('10 30')
    await type({ text: '\u0003', enter: false })
    await prints('caught')
    expect(typed().map(({ text }) => text)).toEqual(['\n', '\u0003'])
    await expect(type({ close: true })).rejects.toMatchObject({ data: { code: 'processTakesNoInput' } })
  })

  it('stores no hidden text, and hides it in what the command prints', async () => {
    await using place = testPlace()
    const { type, prints, typed, read, watched } = await talkWithProcess(place, echo)
    await type({ text: 'Tr0ub4dor&3-horse', hidden: true })
    await prints('got')
    expect(typed()).toMatchObject([{ text: expect.stringMatching(/^\[secret:typed:\w+\]$/) }])
    expect((await read()).lines).toEqual([{ number: 1, text: expect.stringMatching(/^got \[secret:typed:\w+\]$/) }])
    expect(JSON.stringify(watched.state)).not.toContain('Tr0ub4dor')
  })

  it('records nothing that a command which does not read is not sent', async () => {
    await using place = testPlace()
    const { type, typed } = await talkWithProcess(place, 'exec sleep 600')
    const lines = Array.from({ length: 40 }, () => type({ text: 'x'.repeat(16_000) }))
    const sent = (await Promise.allSettled(lines)).filter(({ status }) => status === 'fulfilled')
    expect(sent.length).toBeLessThan(lines.length)
    expect(typed()).toHaveLength(sent.length)
  })

  it('lets a client that may only tighten type what the model could type unasked, and no more', async () => {
    await using place = testPlace()
    const { server, ids, prints, typed } = await talkWithProcess(place, echo)
    const other = await server.connect('tightener', { mayLoosen: false })
    const refused = await other.refused('conversation/process/write', { ...ids, text: 'rm -rf /' })
    expect(refused).toMatchObject({ code: 'notPermitted' })
    expect(typed()).toEqual([])
    await other.request('conversation/process/write', { ...ids, text: 'x' })
    await prints('got x')
  })
})
