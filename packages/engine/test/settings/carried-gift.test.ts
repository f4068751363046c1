import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { createRedaction } from '@parley/redaction'
import { tempDirectory } from '@parley/testkit'
import { expect, it } from 'vitest'
import { createCarriedGifts } from '../../src/settings/carried-gift.ts'
import { keepGift, readGift } from '../../src/settings/given-limits.ts'

const id = '01a1fc62-0000-7000-8000-000000000001'

it('rules that were given to a conversation count at the next server where its file is the one that was sealed', async () => {
  await using world = await tempDirectory()
  const rules = join(world.path, 'rules.toml')
  const server = (name: string) => {
    const home = join(world.path, name)
    mkdirSync(home)
    const redaction = createRedaction({ home, env: {} })
    redaction.useKey(new Uint8Array(32))
    return { home, redaction, files: nodeFiles }
  }
  const first = server('first')
  keepGift(first, id, { writableRoots: [], policyFile: rules })
  const carried = (text: string | null) => {
    if (text === null) rmSync(rules)
    else writeFileSync(rules, text)
    return createCarriedGifts(first).readerOf(id)()
  }
  const receivedBy = (name: string, gift: unknown) => {
    const next = server(name)
    createCarriedGifts(next).receive(id, gift)
    return readGift(next, id).policyFile
  }
  expect(receivedBy('same', carried('mine'))).toBe(rules)
  const gift = carried('mine')
  writeFileSync(rules, 'other')
  expect(receivedBy('other', gift)).toBe(null)
  // What whoever writes to the store can say without its key.
  const rulesHash = createHash('sha256').update('other').digest('hex')
  expect(receivedBy('forged', { ...gift, rulesHash })).toBe(null)
  expect(receivedBy('gone', carried(null))).toBe(null)
})

it('a gift that was carried before does not come back once a server has seen a newer one', async () => {
  await using world = await tempDirectory()
  const server = (name: string) => {
    const home = join(world.path, name)
    mkdirSync(home)
    const redaction = createRedaction({ home, env: {} })
    redaction.useKey(new Uint8Array(32))
    const ports = { home, redaction, files: nodeFiles }
    return { ports, gifts: createCarriedGifts(ports), roots: () => readGift(ports, id).writableRoots }
  }
  const [first, next, fresh] = [server('first'), server('next'), server('fresh')]
  keepGift(first.ports, id, { writableRoots: ['/srv/a', '/srv/b'], policyFile: null })
  const old = first.gifts.readerOf(id)()
  keepGift(first.ports, id, { writableRoots: ['/srv/a'], policyFile: null })
  next.gifts.receive(id, first.gifts.readerOf(id)())
  for (const { gifts, roots } of [first, next]) {
    gifts.receive(id, old)
    expect(roots()).toEqual(['/srv/a'])
    gifts.receive(id, { ...old, nth: 9 })
    expect(roots()).toEqual(['/srv/a'])
  }
  // One that has not seen the newer one cannot know.
  fresh.gifts.receive(id, old)
  expect(fresh.roots()).toEqual(['/srv/a', '/srv/b'])

  keepGift(next.ports, id, { writableRoots: [], policyFile: null })
  for (const { gifts, roots } of [first, fresh]) {
    gifts.receive(id, next.gifts.readerOf(id)())
    expect(roots()).toEqual([])
  }
})
