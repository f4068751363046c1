import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SharedStore } from '@parley/engine/shared-store'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { nodeFiles } from '@parley/journal'
import { createRedaction } from '@parley/redaction'
import { openStore } from '@parley/team/store'
import { hasNats, type NatsServers, startNats, waitUntil } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestPlace, type TestServer, testPlace } from '../support/test-server.ts'

const free = { sandbox: 'danger-full-access' } as const
const shell = (command: string) => ({ calls: [{ name: 'shell', args: { command } }] })

describe.skipIf(!hasNats)('the next server of a conversation', () => {
  let nats: NatsServers
  const stores: SharedStore[] = []
  beforeAll(async () => {
    nats = await startNats()
    for (let server = 0; server < 2; server++)
      stores.push(await openStore({ servers: nats.addresses, replicas: 1, files: nodeFiles }))
  })
  afterAll(async () => {
    for (const store of stores) await store[Symbol.asyncDispose]()
    await nats[Symbol.asyncDispose]()
  })

  const ours = () => ({ store: stores[0] as SharedStore })
  const theirs = () => ({ store: stores[1] as SharedStore })

  /** Ends the first server and goes on with its conversation at the second. */
  async function passedOn(server: TestServer, place: TestPlace, conversationId: string) {
    await server.close()
    const client = await place.start(theirs()).connect()
    await client.request('conversation/resume', { conversationId })
    return client
  }

  test('takes files back to what they were before it had the conversation, in a copy, too', async () => {
    await using place = testPlace()
    await using other = testPlace()
    place.write('a.txt', 'one\n')
    for (let file = 0; file <= 100; file++) place.write(`many-${file}`, `${file}\n`)
    const model = scriptedModel(shell('echo two > a.txt; rm many-*'), { text: 'ok' })
    const { watched, server } = await place.talk({ model, ...ours() }, free)
    await watched.send('go')
    await watched.turnEnded()
    const { conversationId } = watched
    const client = await passedOn(server, other, conversationId)

    const copy = await client.request('conversation/fork', { conversationId })
    const plan = await client.request('conversation/rewind/plan', { conversationId: copy.conversationId, to: 1 })
    expect([plan.changes.length, plan.left]).toEqual([102, []])
    const { hash } = await client.request('conversation/rewind/plan', { conversationId, to: 1 })
    await client.request('conversation/rewind', { conversationId, to: 1, hash })
    expect([place.read('a.txt'), place.read('many-100')]).toEqual(['one\n', '100\n'])
  })

  test('knows the folders and rules that people gave, while the rules are the same file there', async () => {
    await using place = testPlace()
    await using other = testPlace()
    const [given, rules] = [join(place.root, 'given'), join(place.root, 'rules.toml')]
    mkdirSync(given)
    const rule = '[[rule]]\ncommand = ["touch"]\ndecision = "allow"\n'
    writeFileSync(rules, rule)
    const begun = { cwd: place.cwd, approvalPolicy: 'untrusted' as const, addDirs: [given], policyFile: rules }
    /** Starts a server that seals with the key of the store, as each of a team does. */
    const start = (at: TestPlace, store: SharedStore, name: string) => {
      const redaction = createRedaction({ home: join(at.root, '.parley'), env: {} })
      redaction.useKey(store.key)
      return at.start({ store, redaction, model: scriptedModel(shell(`touch ${name}`), { text: 'ok' }) })
    }
    const outcome = async (server: TestServer, known: string | null) => {
      const client = await server.connect()
      const { conversationId, settings } = await (known === null
        ? client.request('conversation/create', begun)
        : client.request('conversation/resume', { conversationId: known }))
      const watched = await client.watch(conversationId)
      await watched.send('go')
      const ended = await watched.until(({ core }) =>
        Object.keys(core.approvals).length > 0 ? 'asked' : core.turn === null ? 'ran' : undefined,
      )
      await server.close()
      return { conversationId, found: [ended, settings.writableRoots] }
    }
    const { conversationId, found } = await outcome(start(place, ours().store, 'a'), null)
    expect(found).toEqual(['ran', [given]])
    const second = await outcome(start(other, theirs().store, 'b'), conversationId)
    expect(second.found).toEqual(['ran', [given]])
    writeFileSync(rules, `${rule}# another one\n`)
    await using third = testPlace()
    const last = await outcome(start(third, ours().store, 'c'), conversationId)
    expect(last.found).toEqual(['asked', [given]])
  })

  test('finds, sums and explains what it never had open', async () => {
    await using place = testPlace()
    await using other = testPlace()
    const model = scriptedModel(shell('echo needle'), { text: 'a needle in a haystack' })
    const { watched } = await place.talk({ model, ...ours() }, free)
    await watched.send('go')
    await watched.turnEnded()
    const { conversationId } = watched
    const client = await other.start(theirs()).connect()
    const found = await waitUntil(
      async () => {
        const result = await client.request('conversation/search', { query: 'haystack', waitMs: 1000 })
        return result.unread === 0 && result.found
      },
      { what: 'the whole search' },
    )
    expect(found.map(({ conversation }) => conversation.conversationId)).toEqual([conversationId])
    const sums = await client.request('usage/read', { by: 'folder' })
    expect(sums.rows.find(({ key }) => key === place.cwd)).toMatchObject({ conversations: 1, calls: 2 })
    rmSync(other.path(conversationId))
    const why = await client.request('policy/why', { conversation: conversationId.slice(0, 30) })
    expect(why).toMatchObject({ conversationId, item: { title: 'echo needle' }, calls: 1 })
  })

  test('opens a conversation that a search fetches at that moment', async () => {
    await using place = testPlace()
    await using other = testPlace()
    const { watched, server } = await place.talk({ model: scriptedModel({ text: 'one' }), ...ours() })
    await watched.send('go')
    await watched.turnEnded()
    await server.close()
    const { conversationId } = watched
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { store } = theirs()
    const slow: SharedStore = {
      ...store,
      copies: {
        ...store.copies,
        async refresh(copy) {
          if (copy.conversationId === conversationId) begun.resolve()
          await gate.promise
          return await store.copies.refresh(copy)
        },
      },
    }
    const client = await other.start({ store: slow }).connect()
    const search = client.request('conversation/search', { query: 'one', waitMs: 0 })
    await begun.promise
    const resumed = client.request('conversation/resume', { conversationId })
    await search
    gate.resolve()
    expect(await resumed).toMatchObject({ conversationId, readOnly: false })
  })

  test('removes its copy of what was deleted elsewhere, and no other', async () => {
    await using place = testPlace()
    await using other = testPlace()
    const first = place.start({ model: scriptedModel({ text: 'one' }, { text: 'two' }), ...ours() })
    const client = await first.connect()
    const viewer = other.start(theirs())
    const viewing = await viewer.connect()
    const ids: string[] = []
    for (let talk = 0; talk < 2; talk++) {
      const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
      const watched = await client.watch(conversationId)
      await watched.send('go')
      await watched.turnEnded()
      await viewing.request('conversation/resume', { conversationId, readOnly: true })
      ids.push(conversationId)
    }
    await viewer.close()
    const [deleted = '', kept = ''] = ids
    await client.request('conversation/delete', { conversationId: deleted })

    other.start(theirs())
    const parts = ['log', 'sideFiles', 'checkpoint', 'lock'] as const
    const left = () => parts.filter((part) => existsSync(other.path(deleted, part)))
    await waitUntil(() => left().length === 0, { what: 'the end of the copy' })
    expect(readFileSync(other.path(kept))).toEqual(readFileSync(place.path(kept)))
  })

  test('removes with a conversation what its files had', async () => {
    await using place = testPlace()
    await using other = testPlace()
    place.write('a.txt', 'private\n')
    const { watched, server } = await place.talk(
      { model: scriptedModel(shell('rm a.txt'), { text: 'ok' }), ...ours() },
      free,
    )
    await watched.send('go')
    await watched.turnEnded()
    const { conversationId } = watched
    const hash = await watched.until((_, events) => {
      const event = events.find(({ event }) => event.type === 'files.changed')?.event
      return event?.type === 'files.changed' ? event.files[0]?.before?.hash : undefined
    })
    const content = () => theirs().store.copies.content(conversationId, hash)
    expect(Buffer.from((await content()) ?? '').toString()).toBe('private\n')
    const client = await passedOn(server, other, conversationId)
    await client.request('conversation/delete', { conversationId })
    expect(await content()).toBeNull()
    expect(existsSync(other.path(conversationId))).toBe(false)
  })
})
