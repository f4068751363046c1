import { appendFileSync, copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import type { Conversation } from '@parley/engine/src/conversation/conversation.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { unsavedExitCode } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { createEgress } from '../../../src/frontends/conversation/egress.ts'
import { testPlace } from '../support/test-server.ts'

const changes: readonly [how: string, change: (path: string) => void, said: string][] = [
  ['deleted', (path) => rmSync(path), 'was deleted'],
  ['renamed', (path) => renameSync(path, `${path}.bak`), 'was moved away'],
  ['emptied', (path) => truncateSync(path), 'Another program wrote to the log'],
  [
    'replaced',
    (path) => {
      copyFileSync(path, `${path}.new`)
      renameSync(`${path}.new`, path)
    },
    'Another file was put in the place',
  ],
  ['written to', (path) => appendFileSync(path, '{}\n'), 'Another program wrote to the log'],
]

const text = (length: number) => 'x'.repeat(length)

function recordNotices(conversation: Conversation, count: number, bytes: number): void {
  for (let n = 0; n < count; n++) {
    const shown = { status: 'completed', title: '', text: text(bytes), level: 'info', code: 'filler' } as const
    conversation.record({ type: 'item.completed', item: { id: `i${n}`, type: 'notice', ...shown } })
  }
}

describe('a log that others change while it is open', () => {
  it.each(changes)('(%s) accepts and shows no more events, and the client learns why', async (how, change, said) => {
    await using place = testPlace()
    const { client, watched, server } = await place.talk({ model: scriptedModel({ text: 'one' }) })
    const { conversationId } = watched
    await watched.send('hi')
    await watched.turnEnded()
    const path = place.path(conversationId)
    const seen = watched.cursor
    change(path)
    const left = existsSync(path) ? readFileSync(path, 'utf8') : null
    const input = [{ type: 'text' as const, text: 'more' }]
    const refused = { code: 'storageFailed', message: expect.stringContaining(said) }
    expect(await client.refused('conversation/sendMessage', { conversationId, input })).toMatchObject(refused)
    const late = await server.connect('late')
    expect(await late.refused('conversation/stream', { conversationId })).toMatchObject(refused)
    expect(await client.refused('conversation/read', { conversationId })).toMatchObject(refused)
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(left)
    expect(watched.cursor).toEqual(seen)
    // The process ends with the code for what could not be saved.
    const closing = server.close().then(
      () => 0,
      () => unsavedExitCode,
    )
    // A log that was moved away may come back.
    expect(await closing).toBe(how === 'renamed' ? 0 : unsavedExitCode)
  })

  it.each(changes)('(%s) goes on in a fork with all that was shown', async (_, change) => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'one' }, { text: 'two' }, { text: 'three' })
    const { client, watched } = await place.talk({ model })
    const { conversationId } = watched
    for (const text of ['first', 'second']) {
      await watched.send(text)
      await watched.turnEnded()
    }
    change(place.path(conversationId))
    await client.refused('conversation/sendMessage', { conversationId, input: [{ type: 'text', text: 'late' }] })
    const copy = await client.request('conversation/fork', { conversationId })
    const fork = await client.watch(copy.conversationId)
    const texts = fork.items().map(({ text }) => text)
    expect(texts).toEqual(watched.items().map(({ text }) => text))
    await fork.send('more')
    await fork.turnEnded()
    expect(fork.items().at(-1)).toMatchObject({ text: 'three' })
    const later = await place.start().connect()
    const read = await later.request('conversation/read', { conversationId: copy.conversationId })
    expect(read.items.map(({ item }) => item.text)).toEqual([...texts, 'more', 'three'])
  })

  it('is not forked where memory has lost its beginning, nor with lines of another writer', async () => {
    await using place = testPlace()
    const { client, watched, server } = await place.talk()
    const { conversationId } = watched
    const { conversation } = server.engine.host.get(conversationId)
    recordNotices(conversation, 8, 1 << 20)
    await watched.until(({ core }) => core.seq === conversation.state.core.seq)
    truncateSync(place.path(conversationId))
    expect(await client.refused('conversation/fork', { conversationId })).toMatchObject({ code: 'storageFailed' })
    expect((await client.request('conversation/list', {})).conversations.length).toBeLessThan(2)
  })

  it('stops the conversation with one notice during an answer', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel({ text: 'Half of', gate: gate.promise })
    const { client, watched } = await place.talk({ model })
    await watched.send('hi')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'Half of'))
    rmSync(place.path(watched.conversationId))
    const seen = watched.cursor
    gate.resolve()
    const notice = await client.notice(({ code }) => code === 'storageFailed')
    expect(notice).toMatchObject({ errno: 'DELETED' })
    expect(notice.message).toContain('was deleted while it was open. The conversation stops here')
    const { conversationId } = watched
    expect(
      await client.refused('conversation/sendMessage', {
        conversationId,
        input: [{ type: 'text', text: 'x' }],
        when: 'queue',
      }),
    ).toMatchObject({ code: 'storageFailed' })
    expect([client.notices.length, watched.cursor]).toEqual([1, seen])
  })

  it('continues when it was renamed and put back', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ text: 'one' }, { text: 'two' }) })
    const { conversationId } = watched
    await watched.send('hi')
    await watched.turnEnded()
    const path = place.path(conversationId)
    renameSync(path, `${path}.bak`)
    const input = [{ type: 'text' as const, text: 'more' }]
    await client.refused('conversation/sendMessage', { conversationId, input })
    renameSync(`${path}.bak`, path)
    await watched.send('more')
    await watched.turnEnded()
    expect(watched.items().at(-1)).toMatchObject({ text: 'two' })
  })
})

describe('a cursor whose events are lost', () => {
  it.each(changes.slice(0, 4))('ends with an error when the log was %s', async (_, change) => {
    await using place = testPlace()
    const { client, watched, server } = await place.talk()
    const { conversation } = server.engine.host.get(watched.conversationId)
    recordNotices(conversation, 8, 1 << 20)
    await watched.until(({ core }) => core.seq === conversation.state.core.seq)
    const reads = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<unknown>()
    const sent: string[] = []
    const peer = { sendLine: (line: string) => sent.push(line), bufferedBytes: 2 << 20, drained: () => reads.promise }
    const onLost = () => undefined
    createEgress(peer, conversation, { mayRead: () => true, onLost, onFault: ended.resolve }).start(0)
    change(place.path(conversation.id))
    reads.resolve()
    expect(await ended.promise).toMatchObject({ name: 'StorageError' })
    expect(sent).toEqual([])
    const after = { seq: 0, crc: null }
    const { conversationId } = watched
    expect(await client.refused('conversation/readEvents', { conversationId, after })).toMatchObject({
      code: 'storageFailed',
    })
  })

  it('ends with an error in a view of a log that was cut after opening', async () => {
    await using place = testPlace()
    const talk = await place.talk({ model: scriptedModel({ text: 'one' }) })
    const { conversationId } = talk.watched
    await talk.watched.send('hi')
    await talk.watched.turnEnded()
    const client = await place.start().connect()
    await client.request('conversation/resume', { conversationId, readOnly: true })
    truncateSync(place.path(conversationId), readFileSync(place.path(conversationId)).indexOf(10) + 1)
    expect(await client.refused('conversation/readEvents', { conversationId, after: { seq: 0 } })).toMatchObject({
      code: 'storageFailed',
    })
  })
})

it('a second writer after a deleted lock stops the first writer, and no number is written twice', async () => {
  await using place = testPlace()
  const first = await place.talk({ model: scriptedModel({ text: 'one' }) })
  const { conversationId } = first.watched
  await first.watched.send('hi')
  await first.watched.turnEnded()
  rmSync(place.path(conversationId, 'lock'))
  const second = await place.start({ model: scriptedModel({ text: 'two' }) }).connect()
  await second.request('conversation/resume', { conversationId })
  const watched = await second.watch(conversationId)
  await watched.send('mine')
  await watched.turnEnded()
  const input = [{ type: 'text' as const, text: 'late' }]
  expect(await first.client.refused('conversation/sendMessage', { conversationId, input })).toMatchObject({
    code: 'storageFailed',
    message: expect.stringContaining('resume it: it goes on from what the log holds'),
  })
  await watched.send('more')
  const seqs = place
    .logLines(conversationId)
    .slice(1)
    .map((line): number => JSON.parse(line).seq)
  expect(seqs).toEqual(seqs.map((_, index) => index + 1))
})
