import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestPorts } from '@parley/engine/test/support/test-parts.ts'
import { withChecksum } from '@parley/journal'
import { expect, it, vi } from 'vitest'
import { richTalk } from '../support/rich-talk.ts'
import { type TestPlace, testPlace } from '../support/test-server.ts'

/** Writes a checkpoint whenever one may be written, and proves none while a test looks. */
const unproven = { leastBytes: 0, growthBytes: 0, proofDelayMs: 1 << 30 }
const never = { leastBytes: Infinity, growthBytes: Infinity, proofDelayMs: 1 << 30 }
/** Writes none, and proves the one it finds at once. */
const proving = { ...never, proofDelayMs: 0 }

/** Leaves a closed conversation with its checkpoint. */
async function closedTalk(place: TestPlace): Promise<string> {
  const ports = { checkpoints: unproven }
  const { watched, server } = await richTalk({
    ...place,
    talk: (more, params) => place.talk({ ...more, ...ports }, params),
  })
  await server.close()
  return watched.conversationId
}

/** Opens a conversation, sends a message, and returns what is known and was sent; the log is left as it was. */
async function goneOn(place: TestPlace, conversationId: string, checkpoints: TestPorts['checkpoints']) {
  const log = readFileSync(place.path(conversationId))
  const model = scriptedModel({ text: 'On.' })
  const server = place.start({ model, ...(checkpoints === undefined ? {} : { checkpoints }) })
  const client = await server.connect()
  const summary = await client.request('conversation/resume', { conversationId })
  const opened = structuredClone(server.engine.host.get(conversationId).conversation.state)
  const watched = await client.watch(conversationId)
  await watched.send('go on')
  await watched.turnEnded()
  const { conversation } = server.engine.host.get(conversationId)
  const view = [...conversation.view.parts()].flatMap((part) => ('blocks' in part ? part.blocks : []))
  await server.close()
  writeFileSync(place.path(conversationId), log)
  const { entries } = model.requests[0] ?? { entries: [] }
  return { summary: { ...summary, updatedAt: 0 }, opened, entries, view }
}

it('a conversation is resumed from its checkpoint as from its whole log', async () => {
  await using place = testPlace()
  const conversationId = await closedTalk(place)
  const path = place.path(conversationId, 'checkpoint')
  const checkpoint = readFileSync(path)
  const { view: fast, ...known } = await goneOn(place, conversationId, unproven)
  rmSync(path)
  const { view: slow, ...folded } = await goneOn(place, conversationId, never)
  expect(existsSync(path)).toBe(false)
  expect(known).toEqual(folded)
  expect(fast.length).toBe(slow.length)
  expect(checkpoint.toString()).not.toMatch(/approvalPolicy|writableRoots|"decision"/)
})

it('a view is opened from the checkpoint, and reads the lines behind it', async () => {
  await using place = testPlace()
  const conversationId = await closedTalk(place)
  const checkpoint = readFileSync(place.path(conversationId, 'checkpoint'))
  const server = place.start({ model: scriptedModel({ text: 'On.' }), checkpoints: never })
  const client = await server.connect()
  await client.request('conversation/resume', { conversationId })
  const watched = await client.watch(conversationId)
  await watched.send('go on')
  await watched.turnEnded()
  const live = watched.state
  await server.close()
  writeFileSync(place.path(conversationId, 'checkpoint'), checkpoint)
  const reader = await place.start({ checkpoints: unproven }).connect()
  await reader.request('conversation/resume', { conversationId, readOnly: true })
  expect((await reader.watch(conversationId)).state).toEqual(live)
})

it('a checkpoint is proven once, beside other work', async () => {
  await using place = testPlace()
  const conversationId = await closedTalk(place)
  const isProven = () => /"proven":true/.test(readFileSync(place.path(conversationId, 'checkpoint'), 'utf8'))
  expect(isProven()).toBe(false)
  const client = await place.start({ checkpoints: proving }).connect()
  await client.request('conversation/resume', { conversationId })
  await vi.waitUntil(isProven, { timeout: 30_000 })
})

it.each([
  ['state', '"turns":', '"turns":1'],
  ['view', '"tokens":', '"tokens":1'],
])('a checkpoint whose %s the log does not fold to is deleted, and clients get to know', async (_, said, forgedAs) => {
  await using place = testPlace()
  const conversationId = await closedTalk(place)
  const path = place.path(conversationId, 'checkpoint')
  const [head = '', ...parts] = readFileSync(path, 'utf8').split('\n')
  const { crc: _crc, ...facts } = JSON.parse(head)
  const forged = parts.join('\n').replace(said, forgedAs)
  const claims = { ...facts, contentBytes: Buffer.byteLength(forged), contentCrc: crc32(forged) }
  writeFileSync(path, `${withChecksum(JSON.stringify(claims)).text}\n${forged}`)
  const client = await place.start({ checkpoints: proving }).connect()
  const told = client.notice(({ code }) => code === 'wrongCheckpoint')
  await client.request('conversation/resume', { conversationId })
  expect(await told).toMatchObject({ level: 'warning', conversationId })
  expect(existsSync(path)).toBe(false)
})

it('a fork takes over the checkpoint, and is what its whole log folds to', async () => {
  await using place = testPlace()
  const conversationId = await closedTalk(place)
  const server = place.start({ checkpoints: unproven })
  const client = await server.connect()
  const at = place.logLines(conversationId).length - 1
  const fork = await client.request('conversation/fork', { conversationId, at })
  await server.close()
  const copied = place.logLines(conversationId).slice(1)
  expect(place.logLines(fork.conversationId).slice(1, at + 1)).toEqual(copied)
  expect(existsSync(place.path(fork.conversationId, 'checkpoint'))).toBe(true)
  const { view: fast, ...known } = await goneOn(place, fork.conversationId, unproven)
  rmSync(place.path(fork.conversationId, 'checkpoint'))
  const { view: slow, ...folded } = await goneOn(place, fork.conversationId, never)
  expect(known).toEqual(folded)
  expect(fast.length).toBe(slow.length)
})
