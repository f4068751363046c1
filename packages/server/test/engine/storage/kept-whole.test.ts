import { readFileSync } from 'node:fs'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestClient, Watched } from '@parley/engine/test/support/test-client.ts'
import { wholeText } from '@parley/engine/test/support/whole-text.ts'
import { encodeLine, MAX_WRITTEN_LINE_BYTES } from '@parley/journal'
import type { ModelRequest } from '@parley/models'
import type { ContentItem, Item } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
const mebibyte = 1024 * 1024
const lineOfClient = 32 * mebibyte

const kinds: Readonly<Record<string, string>> = {
  letters: 'x',
  'zero bytes': '\0',
  quotes: '"',
  backslashes: '\\',
  newlines: '\n',
  'wide characters': '語',
  'pairs of surrogates': '🌍',
  'lone surrogates': '\ud83c',
}

const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** A text of that kind with which the content of a message has so many bytes of JSON; `x` fills the rest. */
function textOfJson(kind: string, sizeBytes: number): string {
  const room = sizeBytes - jsonBytes([{ type: 'text', text: '' }])
  const count = Math.floor(room / (jsonBytes(kind) - 2))
  return kind.repeat(count) + 'x'.repeat(room - count * (jsonBytes(kind) - 2))
}

function textOfBytes(kind: string, sizeBytes: number): string {
  const count = Math.floor(sizeBytes / Buffer.byteLength(kind))
  return kind.repeat(count) + 'x'.repeat(sizeBytes - count * Buffer.byteLength(kind))
}

/** Kind of which short runs send the large sizes too: several bytes a character. */
const largeKind = kinds['wide characters']
/** Kinds of which short runs send any: the others are escaped as one of these is. */
const shortKinds = ['zero bytes', 'wide characters', 'lone surrogates']

function sizesOf(kind: string): string[] {
  const aroundInline = [-1, 0, 1].map((more) => textOfJson(kind, mebibyte + more))
  if (!isLong && kind !== largeKind) return aroundInline
  const aroundMost = [0, 1].map((more) => textOfBytes(kind, 16 * mebibyte + more))
  return [...aroundInline, kind.repeat((4 * mebibyte) / kind.length), ...aroundMost]
}

function contentOf(items: readonly Item[]): ContentItem[][] {
  return items.flatMap((item) => (item.type === 'userMessage' ? [item.content] : []))
}

function textsFor(request: ModelRequest | undefined): string[] {
  const users = request?.entries.flatMap((entry) => (entry.kind === 'user' ? [entry.content] : [])) ?? []
  const texts = users.map((content) => content.map((part) => (part.type === 'text' ? part.text : '')).join(''))
  return texts.slice(1)
}

function crcOf(line: string | undefined): string | null {
  return line?.slice(-10, -2) ?? null
}

/** Texts are compared one by one: a failure that prints megabytes helps nobody. */
function expectSame(found: readonly string[], sent: readonly string[]): void {
  expect(found.map(({ length }) => length)).toEqual(sent.map(({ length }) => length))
  expect(found.map((text, index) => text === sent[index])).toEqual(sent.map(() => true))
}

async function expectKept(client: TestClient, watched: Watched, sent: readonly string[]): Promise<void> {
  const kept: string[] = []
  for (const content of contentOf(watched.items())) kept.push(await wholeText(client, watched.conversationId, content))
  expectSame(kept, sent)
}

/** Every line can be read back, by the log and by a client that gets it. */
function expectReadable(place: TestPlace, conversationId: string): void {
  const lines = readFileSync(place.path(conversationId)).toString('latin1').split('\n')
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(MAX_WRITTEN_LINE_BYTES)
}

// Megabytes of each kind: 3 s of CPU, of which a machine with many processes gives a tenth.
describe('a message that holds', { timeout: 120_000 }, () => {
  it.each(Object.entries(kinds).filter(([name]) => isLong || shortKinds.includes(name)))(
    '%s is whole after a restart, at every accepted size',
    async (_, kind) => {
      await using place = testPlace()
      const model = scriptedModel()
      const { client, server, watched } = await place.talk({ model })
      const { conversationId } = watched
      const sent: string[] = []
      for (const text of sizesOf(kind)) {
        const sending = client.request('conversation/sendMessage', { conversationId, input: [{ type: 'text', text }] })
        const taken = await sending.then(
          () => true,
          (error: unknown) => {
            expect(error).toMatchObject({
              message: expect.stringMatching(/cannot store|too long|larger than|may have/),
            })
            return false
          },
        )
        if (!taken) continue
        // Half of a character is kept as the one that stands for it.
        sent.push(text.toWellFormed())
        await watched.turnEnded()
      }
      expect(sent.length).toBeGreaterThanOrEqual(2)
      expectReadable(place, conversationId)
      await expectKept(client, watched, sent)
      await server.close()

      const next = await place.start({ model }).connect()
      const summary = await next.request('conversation/resume', { conversationId })
      expect(summary.recovered).toBeNull()
      const later = await next.watch(conversationId)
      await expectKept(next, later, sent)
      await later.send('and now')
      await later.turnEnded()
      expectSame(textsFor(model.requests.at(-1)), [...sent, 'and now'])
    },
  )

  it('more text than a line may have is whole after an edit and a fork', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel({ text: 'a', gate: gate.promise }, { text: 'b' }, { text: 'c' })
    const { client, watched } = await place.talk({ model })
    const { conversationId } = watched
    const text = '\0'.repeat(4 * mebibyte)
    await watched.send('one')
    await watched.send('two', { when: 'queue', messageId: 'm-two' })
    const content = [{ type: 'text' as const, text }]
    await client.request('conversation/inbox/edit', { conversationId, messageId: 'm-two', content })
    gate.resolve()
    await watched.until(({ core }) => core.counts.turns === 2 && core.turn === null)
    const fork = await client.request('conversation/fork', { conversationId })
    await client.request('conversation/delete', { conversationId })
    const forked = await client.watch(fork.conversationId)
    await expectKept(client, forked, ['one', text])
    await forked.send('three')
    await forked.turnEnded()
    expectSame(textsFor(model.requests.at(-1)), ['one', text, 'three'])
  })
})

describe('waiting messages', () => {
  it('can have 4 MB each, and the conversation opens with all of them', async () => {
    await using place = testPlace()
    const texts = Array.from({ length: 10 }, (_, index) => `${index}${'語'.repeat((4 * mebibyte) / 3)}`)
    const { server, watched } = await place.talk({ model: scriptedModel({ text: 'a', hang: true }) })
    const { conversationId } = watched
    await watched.send('go')
    for (const text of texts) await watched.send(text, { when: 'queue' })
    const other = await server.connect('other')
    const attached = await other.watch(conversationId)
    expect(attached.state.core.inbox).toHaveLength(10)
    expect(jsonBytes(attached.state)).toBeLessThan(lineOfClient)
    await server.close()

    const model = scriptedModel()
    const next = await place.start({ model }).connect()
    await next.request('conversation/resume', { conversationId })
    const later = await next.watch(conversationId)
    const waiting: string[] = []
    for (const { content } of later.state.core.inbox) waiting.push(await wholeText(next, conversationId, content))
    expectSame(waiting, texts)
    await next.request('conversation/continue', { conversationId })
    await later.until(({ core }) => core.inbox.length === 0 && core.turn === null)
    expectSame(textsFor(model.requests.at(-1)).slice(1), texts)
  })

  it('fill the inbox to its limit; another one is rejected, and accepted when one is removed', async () => {
    await using place = testPlace()
    const { client, server, watched } = await place.talk({ model: scriptedModel({ text: 'a', hang: true }) })
    const { conversationId } = watched
    await watched.send('go')
    const input = [{ type: 'text' as const, text: '"'.repeat(mebibyte / 2 - 100) }]
    const message = (n: number) => ({ conversationId, input, when: 'queue' as const, messageId: `m-${n}` })
    for (let n = 0; n < 8; n++) await client.request('conversation/sendMessage', message(n))
    const refused = await client.refused('conversation/sendMessage', message(8))
    expect(refused).toMatchObject({ code: 'inboxFull', detail: { limitBytes: 8 * mebibyte } })
    expect(refused.message).toMatch(/8 messages with 8\.0 MiB wait already.*take one back/)
    const attached = await (await server.connect('other')).watch(conversationId)
    expect(jsonBytes(attached.state)).toBeLessThan(lineOfClient)
    await client.request('conversation/inbox/remove', { conversationId, messageId: 'm-3' })
    await client.request('conversation/sendMessage', message(8))
  })

  it('of an earlier log version are opened and reach the model whole', async () => {
    await using place = testPlace()
    const first = await place.talk()
    const { conversationId } = first.watched
    await first.watched.send('go')
    await first.watched.turnEnded()
    await first.server.close()
    const before = place.logLines(conversationId)
    const texts = Array.from({ length: 9 }, (_, index) => `${index}${'x'.repeat(4 * mebibyte - 1)}`)
    const by = { clientId: 'c', name: 'old' }
    const queued = texts.map((text, index) => {
      const message = {
        messageId: `m-${index}`,
        when: 'queue' as const,
        content: [{ type: 'text' as const, text }],
        by,
      }
      return { seq: before.length + index, at: 1, event: { type: 'message.queued' as const, message } }
    })
    place.writeLog(conversationId, [...before, ...queued.map((envelope) => encodeLine(envelope).text)])

    const model = scriptedModel()
    const client = await place.start({ model }).connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    expect(watched.state.core.inbox.map(({ messageId }) => messageId)).toEqual(queued.map((_, index) => `m-${index}`))
    await client.request('conversation/continue', { conversationId })
    await watched.until(({ core }) => core.inbox.length === 0 && core.turn === null)
    expectSame(textsFor(model.requests.at(-1)).slice(1), texts)
  })
})

describe('an item of an earlier version that is longer than a line to clients', () => {
  it('is shown in part, and the items before and after it can be read', async () => {
    await using place = testPlace()
    const first = await place.talk()
    const { conversationId } = first.watched
    await first.watched.send('go')
    await first.watched.turnEnded()
    await first.server.close()
    const before = place.logLines(conversationId)
    const text = '語'.repeat(4 * mebibyte)
    const item = { id: 'i', type: 'userMessage', status: 'completed', title: text, text, content: [] } as const
    const event = { type: 'item.completed', item } as const
    place.writeLog(conversationId, [...before, encodeLine({ seq: before.length, at: 1, event }).text])

    const client = await place.start().connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    await watched.send('on')
    await watched.turnEnded()
    const { items } = await client.request('conversation/read', {
      conversationId,
      before: before.length + 1,
      limit: 1,
    })
    expect(items[0]?.item).toMatchObject({ text: expect.stringMatching(/^語{65536}… \(cut\)$/) })
    const page = await client.request('conversation/readEvents', { conversationId, after: { seq: before.length - 1 } })
    expect(page.events[0]).toMatchObject({ seq: before.length, event: { type: 'item.completed' } })
    const other = await client.watch(conversationId, { seq: before.length - 1, crc: crcOf(before.at(-1)) })
    await other.until(({ core }) => core.seq >= watched.cursor.seq)
    expect(other.events[0]).toMatchObject({ seq: before.length })
  })
})

describe('content larger than a line of the log', () => {
  it.each(['\0', 'x', '語'])('is rejected as a command made of %j', async (kind) => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const { conversationId } = watched
    await watched.send('go')
    await watched.turnEnded()
    const command = kind.repeat(128 * 1024)
    expect(await client.refused('conversation/runShell', { conversationId, command })).toMatchObject({
      code: 'invalidParams',
      detail: { field: 'command' },
      message: expect.stringContaining('Put it into a script'),
    })
  })

  it.each([
    ['a setting', { settings: { model: '語'.repeat(100) } }, 'settings.model'],
    ['a setting that is empty', { settings: { model: '' } }, 'settings.model'],
  ])('is rejected as %s, and none of it is recorded', async (_, change, field) => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const { conversationId } = watched
    const configure = { conversationId, ...change }
    expect(await client.refused('conversation/configure', configure)).toMatchObject({ detail: { field } })
    await watched.send('go')
    await watched.turnEnded()
    const before = place.logLines(conversationId)
    expect(await client.refused('conversation/configure', configure)).toMatchObject({ code: 'invalidParams' })
    expect(place.logLines(conversationId)).toEqual(before)
  })

  it('is rejected as an id, a key, a path or instructions', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const { conversationId } = watched
    const input = [{ type: 'text' as const, text: 'go' }]
    const long = '\0'.repeat(43)
    const refused = [
      await client.refused('conversation/sendMessage', { conversationId, input, messageId: long }),
      await client.refused('conversation/runShell', { conversationId, command: 'true', requestKey: long }),
      await client.refused('conversation/create', { cwd: place.cwd, addDirs: ['/'.repeat(5000)] }),
      await client.refused('conversation/create', { cwd: place.cwd, baseInstructions: 'x'.repeat(2 * mebibyte) }),
      await client.refused('conversation/create', { cwd: place.cwd, model: '' }),
    ]
    expect(refused.map(({ detail }) => detail['field'])).toEqual([
      'messageId',
      'requestKey',
      'addDirs[0]',
      'baseInstructions',
      'model',
    ])
    await client.request('conversation/sendMessage', { conversationId, input, messageId: '\0'.repeat(42) })
  })

  it('ends the turn when the model sends it, and the conversation continues', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'ok', parts: ['x'.repeat(17 * mebibyte)] }, { text: 'fine' })
    const { client, watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'failed', failure: { code: 'eventTooLarge' } })
    await watched.send('again')
    await watched.turnEnded()
    expect(watched.items().at(-1)).toMatchObject({ text: 'fine' })
    expect(client.notices).toEqual([])
  })

  it('ends the turn when the model sends NUL characters without end', async () => {
    await using place = testPlace()
    const text = Array.from({ length: 2 }, () => '\0'.repeat(mebibyte))
    const { watched } = await place.talk({ model: scriptedModel({ text, hang: true }) })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'failed', failure: { code: 'responseTooLarge' } })
    expectReadable(place, watched.conversationId)
  })
})
