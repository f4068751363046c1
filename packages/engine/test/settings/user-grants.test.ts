import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { createRedaction } from '@parley/redaction'
import { tempDirectory } from '@parley/testkit'
import { expect, it } from 'vitest'
import { createCarriedGrants, keepGrants, readGrants } from '../../src/settings/user-grants.ts'

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
  keepGrants(first, id, { writableRoots: [], policyFile: rules })
  const carried = (text: string | null) => {
    if (text === null) rmSync(rules)
    else writeFileSync(rules, text)
    return createCarriedGrants(first).readerOf(id)()
  }
  const receivedBy = (name: string, grants: unknown) => {
    const next = server(name)
    createCarriedGrants(next).receive(id, grants)
    return readGrants(next, id).policyFile
  }
  expect(receivedBy('same', carried('mine'))).toBe(rules)
  const grants = carried('mine')
  writeFileSync(rules, 'other')
  expect(receivedBy('other', grants)).toBe(null)
  // What whoever writes to the store can say without its key.
  const rulesHash = createHash('sha256').update('other').digest('hex')
  expect(receivedBy('forged', { ...grants, rulesHash })).toBe(null)
  expect(receivedBy('gone', carried(null))).toBe(null)
})

it('grants that were carried before do not come back once a server has seen newer ones', async () => {
  await using world = await tempDirectory()
  const server = (name: string) => {
    const home = join(world.path, name)
    mkdirSync(home)
    const redaction = createRedaction({ home, env: {} })
    redaction.useKey(new Uint8Array(32))
    const ports = { home, redaction, files: nodeFiles }
    return { ports, carriedGrants: createCarriedGrants(ports), roots: () => readGrants(ports, id).writableRoots }
  }
  const [first, next, fresh] = [server('first'), server('next'), server('fresh')]
  keepGrants(first.ports, id, { writableRoots: ['/srv/a', '/srv/b'], policyFile: null })
  const old = first.carriedGrants.readerOf(id)()
  keepGrants(first.ports, id, { writableRoots: ['/srv/a'], policyFile: null })
  next.carriedGrants.receive(id, first.carriedGrants.readerOf(id)())
  for (const { carriedGrants, roots } of [first, next]) {
    carriedGrants.receive(id, old)
    expect(roots()).toEqual(['/srv/a'])
    carriedGrants.receive(id, { ...old, nth: 9 })
    expect(roots()).toEqual(['/srv/a'])
  }
  // One that has not seen the newer one cannot know.
  fresh.carriedGrants.receive(id, old)
  expect(fresh.roots()).toEqual(['/srv/a', '/srv/b'])

  keepGrants(next.ports, id, { writableRoots: [], policyFile: null })
  for (const { carriedGrants, roots } of [first, fresh]) {
    carriedGrants.receive(id, next.carriedGrants.readerOf(id)())
    expect(roots()).toEqual([])
  }
})
