import { truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, it } from 'vitest'
import { openContentStore } from '../../src/history/content-store.ts'
import { contentHash } from '../../src/patch/file-plan.ts'

const bytes = Buffer.from('content')
const hash = contentHash(bytes)

it('a content that a loss of power left empty is kept anew', async () => {
  await using folder = await tempDirectory()
  openContentStore(folder.path).keep(hash, bytes)
  truncateSync(join(folder.path, hash.slice(0, 2), hash))
  const store = openContentStore(folder.path)
  expect([store.has(hash, bytes.length), store.keep(hash, bytes)]).toEqual([false, true])
  expect(store.read(hash)).toEqual(bytes)
})

it('a content that a loss of power left as zeros is never given out, and is kept anew after that', async () => {
  await using folder = await tempDirectory()
  openContentStore(folder.path).keep(hash, bytes)
  writeFileSync(join(folder.path, hash.slice(0, 2), hash), Buffer.alloc(bytes.length))
  const store = openContentStore(folder.path)
  expect([store.read(hash), store.keep(hash, bytes)]).toEqual([null, true])
  expect(store.read(hash)).toEqual(bytes)
})

it('a content that was removed as too old is kept anew by a server that has run on', async () => {
  await using folder = await tempDirectory()
  const store = openContentStore(folder.path)
  store.keep(hash, bytes)
  unlinkSync(join(folder.path, hash.slice(0, 2), hash))
  expect([store.keep(hash, bytes), store.read(hash)]).toEqual([true, bytes])
})
