import { type KV, Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { nodeFiles, STORE_LOST } from '@parley/journal'
import { hasNats, type NatsServers, startNats } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'

describe.skipIf(!hasNats)('a shared store', () => {
  let servers: NatsServers
  beforeAll(async () => {
    servers = await startNats()
  })
  afterAll(() => servers[Symbol.asyncDispose]())

  const open = () => openStore({ servers: servers.addresses, replicas: 1, files: nodeFiles })

  async function inBucket<Result>(use: (bucket: KV) => Promise<Result>): Promise<Result> {
    const connection = await connect({ servers: [...servers.addresses] })
    try {
      return await use(await new Kvm(connection).open('parley_answers'))
    } finally {
      await connection.close()
    }
  }

  const keys = () =>
    inBucket(async (bucket) => {
      const found: string[] = []
      for await (const key of await bucket.keys()) found.push(key)
      return found
    })

  test('has the last answer under a name, of any length, for all of its servers', async () => {
    await using one = await open()
    await using two = await open()
    const long = (letter: string) => `${letter}ä`.repeat(1_000_000)
    for (const answer of [long('a'), long('b'), 'short', long('c')]) {
      await one.answers.change('box:/srv', () => answer)
      expect((await two.answers.read('box:/srv')) === answer).toBe(true)
    }
    await two.answers.change('box:/srv', () => '')
    expect(await one.answers.read('box:/srv')).toBe('')
    expect(await one.answers.read('box:/srv/other')).toBe(null)
    for (const answer of ['first', 'second', long('d')])
      await one.answers.change('box:/new', (before) => (before === null ? answer : null))
    expect(await two.answers.read('box:/new')).toBe('first')
    expect(await keys()).toHaveLength(2)
    const both = [one, two].map(({ answers }) => answers.change('box:/new', (before) => long(before?.at(-1) ?? '')))
    await Promise.all(both)
    expect((await one.answers.read('box:/new')) === long('ä')).toBe(true)
    // Each that was followed, or came too late, has removed its parts.
    expect(await keys()).toHaveLength(2 + Math.ceil(4_000_000 / (512 * 1024)))
    await one.answers.change('box:/new', () => '')
    expect(await keys()).toHaveLength(2)
  })

  test('does not pass an answer off as none that has lost a part', async () => {
    await using one = await open()
    await one.answers.change('lost', () => 'a'.repeat(1_000_000))
    const part = (await keys()).find((key) => key.endsWith('.1')) ?? ''
    await inBucket((bucket) => bucket.purge(part))
    await expect(one.answers.read('lost')).rejects.toMatchObject({ code: STORE_LOST, retryable: false })
  })
})
