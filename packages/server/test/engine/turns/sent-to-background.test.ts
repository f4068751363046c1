import { readdirSync } from 'node:fs'
import { type Step, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const free = { sandbox: 'danger-full-access' } as const

/** Begins a turn whose command runs until its folder has a file `stop`. */
async function talkWithCommand(place: ReturnType<typeof testPlace>, more: readonly Step[]) {
  const command = 'echo on; until [ -e stop ]; do sleep 0.02; done; echo over'
  const model = scriptedModel({ calls: [{ name: 'shell', args: { command, timeout_ms: 600_000 } }] }, ...more)
  const talk = await place.talk({ model }, free)
  await talk.watched.send('go')
  const running = await talk.watched.until(({ core }) =>
    Object.values(core.open).find(({ output }) => output === 'on\n'),
  )
  const { conversationId } = talk.watched
  const send = (itemId: string) => talk.client.request('conversation/background', { conversationId, itemId })
  const processes = async () =>
    (await talk.client.request('server/diagnostics', {})).conversations[0]?.backgroundProcesses
  return { ...talk, model, conversationId, itemId: running.item.id, send, processes }
}

describe('a command that the user sends to the background', () => {
  it('answers the model at once with its output so far, and goes on', async () => {
    await using place = testPlace()
    const { watched, itemId, send, processes } = await talkWithCommand(place, [{ text: 'ok' }])
    expect(await send(itemId)).toEqual({ background: true })
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({
      status: 'completed',
      background: true,
      output: { head: 'on\n' },
      modelText: expect.stringMatching(
        new RegExp(
          `^The user sent it to the background; it runs on as process ${itemId} .*read_file "output:${itemId}"; end it with stop_process.*\\nOutput so far:\\non`,
        ),
      ),
    })
    expect(watched.items()[1]).not.toHaveProperty('exitCode')
    expect(await processes()).toBe(1)
    place.write('stop', '')
    expect(await waitUntil(async () => (await processes()) === 0, { what: 'the end of the command' })).toBe(true)
  })

  it('can be read and stopped by the model as one that it started so', async () => {
    await using place = testPlace()
    const { watched, itemId, send, processes } = await talkWithCommand(place, [
      ({ entries }) => {
        const path = /output:[\w-]+/.exec(JSON.stringify(entries))?.[0]
        return { calls: [{ name: 'read_file', args: { path } }] }
      },
      ({ entries }) => {
        const id = /output:([\w-]+)/.exec(JSON.stringify(entries))?.[1]
        return { calls: [{ name: 'stop_process', args: { id } }] }
      },
      { text: 'ok' },
    ])
    await send(itemId)
    await watched.turnEnded()
    const [read, stopped] = watched.items().filter((item) => item.type === 'toolCall')
    expect(read).toMatchObject({ modelText: expect.stringContaining('on') })
    expect(stopped).toMatchObject({ modelText: expect.stringMatching(/^Process .* ended \(killed by SIG/) })
    expect(await processes()).toBe(0)
  })

  it('outlives an interrupt of its turn', async () => {
    await using place = testPlace()
    const { client, conversationId, watched, itemId, send, processes } = await talkWithCommand(place, [{ hang: true }])
    await send(itemId)
    await watched.until(({ window }) => window.find(({ item }) => item.id === itemId))
    await client.request('conversation/interrupt', { conversationId })
    await watched.turnEnded()
    expect(await processes()).toBe(1)
  })

  it('has ended after a resume, as its user and the model are told once', async () => {
    await using place = testPlace()
    const { conversationId, watched, itemId, send, server } = await talkWithCommand(place, [{ text: 'ok' }])
    await send(itemId)
    await watched.turnEnded()
    await server.close()
    const model = scriptedModel({ text: 'ok' })
    const again = place.start({ model })
    const client = await again.connect()
    await client.request('conversation/resume', { conversationId })
    const later = await client.watch(conversationId)
    expect(later.items().at(-1)).toMatchObject({
      type: 'notice',
      code: 'backgroundLost',
      title: expect.stringMatching(
        new RegExp(`^A background command of an earlier session no longer runs here: .*${itemId}`),
      ),
    })
    await later.send('two')
    await later.turnEnded()
    const told = JSON.stringify(model.requests[0]?.entries)
    expect(told).toMatch(new RegExp(`can be neither read nor stopped: ${itemId}`))
    await again.close()
    const third = await place.start().connect()
    await third.request('conversation/resume', { conversationId })
    const notices = (await third.watch(conversationId))
      .items()
      .filter((item) => 'code' in item && item.code === 'backgroundLost')
    expect(notices).toHaveLength(1)
  })

  it('says how it ended in the transcript, to the model once, and not again after a resume', async () => {
    await using place = testPlace()
    const { conversationId, watched, itemId, send, server, model } = await talkWithCommand(place, [
      { text: 'ok' },
      { text: 'ok' },
    ])
    await send(itemId)
    await watched.turnEnded()
    expect(Object.keys(watched.state.core.background ?? {})).toEqual([itemId])
    place.write('stop', '')
    await watched.until(({ core }) => core.background === undefined)
    const title = /^Ended in the background: echo on; until .* · exit 0 after [\d.]+ s$/
    expect(watched.items().at(-1)).toMatchObject({
      ...{ type: 'notice', code: 'backgroundEnded', level: 'info', title: expect.stringMatching(title), text: '' },
      ended: [{ itemId, exitCode: 0 }],
    })
    await watched.send('two')
    await watched.turnEnded()
    const told = JSON.stringify(model.requests.at(-1)?.entries)
    expect(told.split(`Ended in the background: ${itemId} (exit 0 after `)).toHaveLength(2)
    await server.close()
    const client = await place.start().connect()
    await client.request('conversation/resume', { conversationId })
    const codes = (await client.watch(conversationId)).items().map((item) => ('code' in item ? item.code : item.type))
    expect(codes).toContain('backgroundEnded')
    expect(codes).not.toContain('backgroundLost')
  })

  it('shows the last lines of its output when it failed', async () => {
    await using place = testPlace()
    const command = 'until [ -e stop ]; do sleep 0.02; done; seq 1 9; exit 3'
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command, background: true } }] }, { text: 'ok' })
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    place.write('stop', '')
    await watched.until(({ core }) => core.background === undefined)
    expect(watched.items().at(-1)).toMatchObject({
      level: 'warning',
      title: expect.stringContaining(' · exit 3 after '),
      text: '5\n6\n7\n8\n9',
    })
  })

  it('says its end once where it ends before its call has answered', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      { calls: [{ name: 'shell', args: { command: 'exit 4', background: true } }] },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.until(({ core, window }) => core.background === undefined && window.at(-1)?.item.type === 'notice')
    expect(watched.items().flatMap((item) => ('ended' in item ? item.ended : []))).toMatchObject([{ exitCode: 4 }])
  })

  it('is stopped by the user, while the turn goes on', async () => {
    await using place = testPlace()
    const { client, conversationId, watched, itemId, send } = await talkWithCommand(place, [{ hang: true }])
    await send(itemId)
    await watched.until(({ core }) => core.background)
    const stop = () => client.request('conversation/interrupt', { conversationId, shell: true, itemId })
    expect(await stop()).toEqual({ interrupted: true })
    await watched.until(({ core }) => core.background === undefined)
    expect(watched.items().at(-1)).toMatchObject({ level: 'info', ended: [{ itemId, stopped: true }] })
    expect(watched.state.core.turn).not.toBeNull()
    expect(await stop()).toEqual({ interrupted: false })
  })

  it('leaves no file of its output behind', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      { calls: [{ name: 'shell', args: { command: 'seq 1 5000; echo end; exec sleep 600' } }] },
      { text: 'ok' },
    )
    const { client, watched } = await place.talk({ model }, free)
    await watched.send('go')
    const { item } = await watched.until(({ core }) =>
      Object.values(core.open).find(({ output }) => output.endsWith('end\n')),
    )
    const { conversationId } = watched
    await client.request('conversation/background', { conversationId, itemId: item.id })
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ output: { totalLines: 5001, tail: expect.stringMatching(/end\n$/) } })
    const kept = readdirSync(place.path(conversationId, 'sideFiles'), { recursive: true }).map(String)
    expect(kept.filter((name) => name.includes('spool'))).toEqual([])
  })

  it('is no longer sent once it has ended, nor is a call that does not run', async () => {
    await using place = testPlace()
    const { watched, itemId, send } = await talkWithCommand(place, [{ text: 'ok' }])
    expect(await send('item_none')).toEqual({ background: false })
    place.write('stop', '')
    await watched.turnEnded()
    expect(await send(itemId)).toEqual({ background: false })
    expect(watched.items()[1]).toMatchObject({ status: 'completed', exitCode: 0 })
  })
})
