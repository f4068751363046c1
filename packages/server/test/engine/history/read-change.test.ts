import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { STORE_GONE, StorageError } from '@parley/journal'
import { describe, expect, it } from 'vitest'
import { passedOnStore } from '../../environments/support/passed-on-store.ts'
import { type Talk, testPlace } from '../support/test-server.ts'

const patch = (text: string) => ({
  calls: [{ name: 'apply_patch', args: { patch: `*** Begin Patch\n${text}\n*** End Patch` } }],
})

const change = '*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: new.txt\n+fresh\n*** Delete File: old.txt'

const free = { sandbox: 'danger-full-access' } as const
const updating = () => scriptedModel(patch('*** Update File: a.txt\n@@\n-one\n+two'), { text: 'ok' })

async function textsOf({ client, watched: { conversationId } }: Talk, itemId: string) {
  return (await client.request('conversation/readChange', { conversationId, itemId })).files
}

describe('the texts of a change', () => {
  it('are whole before a question is answered and after it is applied', async () => {
    await using place = testPlace()
    place.write('a.txt', 'zero\none\n')
    place.write('old.txt', 'past\n')
    const model = scriptedModel(patch(change), { text: 'ok' })
    const talk = await place.talk({ model }, { approvalPolicy: 'untrusted' })
    await talk.watched.send('go')
    const { itemId } = await talk.watched.approval()
    const whole = [
      ['a.txt', 'update', 'zero\none\n', 'zero\ntwo\n', true],
      ['new.txt', 'add', null, 'fresh\n', true],
      ['old.txt', 'delete', 'past\n', null, true],
    ].map(([path, kind, oldText, newText, isWhole]) => {
      return { path: join(place.cwd, String(path)), kind, oldText, newText, isWhole }
    })
    expect(await textsOf(talk, itemId)).toEqual(whole)
    await talk.watched.decide('approved')
    await talk.watched.turnEnded()
    expect(await textsOf(talk, itemId)).toEqual(whole)
  })

  const gone = new StorageError({ code: STORE_GONE, operation: 'read', path: 'nats://test' })
  it.each([
    ['where the contents are kept nowhere', async () => null],
    ['while the store is away that has the contents', () => Promise.reject(gone)],
  ])('are the lines of the diff %s', async (_, content) => {
    await using place = testPlace()
    place.write('a.txt', `${'x\n'.repeat(50)}one\n`)
    const store = passedOnStore()
    const copies = { ...store.copies, content }
    const talk = await place.talk({ model: updating(), store: { ...store, copies } }, free)
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    rmSync(join(place.root, '.parley', 'snapshots'), { recursive: true, force: true })
    place.write('a.txt', 'other\n')
    const item = talk.watched.items().find(({ type }) => type === 'fileChange')
    expect(await textsOf(talk, item?.id ?? '')).toMatchObject([
      { oldText: 'x\nx\nx\none\n', newText: 'x\nx\nx\ntwo\n', isWhole: false },
    ])
  })

  it('have no secrets, and are rejected for what is no change', async () => {
    await using place = testPlace()
    const key = `sk-${'ant-api03-'}${'Ab1'.repeat(20)}`
    place.write('a.txt', `${key}\none\n`)
    const talk = await place.talk({ model: updating() }, free)
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    const item = talk.watched.items().find(({ type }) => type === 'fileChange')
    expect(JSON.stringify(await textsOf(talk, item?.id ?? ''))).not.toContain(key)
    const { conversationId } = talk.watched
    const refused = await talk.client.refused('conversation/readChange', { conversationId, itemId: 'i-none' })
    expect(refused).toMatchObject({ number: -32004, code: 'itemNotFound' })
  })
})

describe('a call', () => {
  it.each([
    [patch('*** Add File: b.txt\n+x'), 'edit', [{ path: 'b.txt' }]],
    [patch('*** Delete File: a.txt'), 'delete', [{ path: 'a.txt' }]],
    [{ calls: [{ name: 'read_file', args: { path: 'a.txt', offset: 2 } }] }, 'read', [{ path: 'a.txt', line: 2 }]],
    [{ calls: [{ name: 'search', args: { pattern: 'x' } }] }, 'search', [{ path: '' }]],
    [{ calls: [{ name: 'shell', args: { command: 'ls' } }] }, 'execute', undefined],
    [{ calls: [{ name: 'update_plan', args: { plan: [{ step: 's', status: 'pending' }] } }] }, 'think', undefined],
  ] as const)('%j is of kind %s', async (step, kind, locations) => {
    await using place = testPlace()
    place.write('a.txt', 'one\ntwo\n')
    const talk = await place.talk({ model: scriptedModel(step, { text: 'ok' }) })
    await talk.watched.send('go')
    await talk.watched.until(({ core }) => core.lastTurn ?? (Object.keys(core.approvals).length > 0 || undefined))
    const { events } = talk.watched
    const started = events.flatMap(({ event }) => (event.type === 'item.started' ? [event.item] : []))[0]
    const found = locations?.map((one) => ({ ...one, path: join(place.cwd, one.path) }))
    expect(started).toMatchObject({ kind, ...(found === undefined ? {} : { locations: found }) })
    if (found === undefined) expect(started).not.toHaveProperty('locations')
    if (talk.watched.state.core.turn !== null) await talk.watched.decide('denied')
    await talk.watched.turnEnded()
  })
})
