import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCredentialFile } from '@parley/credentials/src/credential-file.ts'
import { lossReports } from '@parley/engine/src/load/begin-fold.ts'
import { countingHost } from '@parley/engine/test/support/counting-host.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestClient } from '@parley/engine/test/support/test-client.ts'
import { checkLine, openLog, readSideFile, sideFileRefsIn } from '@parley/journal'
import { faultyFiles } from '@parley/journal/testing'
import type { ConversationEvent } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { expect } from 'vitest'
import type { TestPlace } from '../engine/support/test-server.ts'
import { type Fact, keptUpTo } from './facts.ts'
import { checkpoints } from './lives.ts'

/** The disk without waiting for it: no power is lost here. */
const files = faultyFiles(() => null).files

interface StoredLine {
  readonly seq: number
  readonly crc: string
  readonly event: ConversationEvent
  readonly text: string
}

interface Lost {
  readonly facts: readonly Fact[]
  /** Paths that were there. */
  readonly before: ReadonlyMap<string, string>
}

/** Looks at what a loss of power has left, then lets a server take it up. Throws for every promise that is not kept. */
export async function checkImage(place: TestPlace, { facts, before }: Lost): Promise<void> {
  const ids = [...new Set(facts.flatMap((fact) => ('conversationId' in fact ? [fact.conversationId] : [])))]
  const deleting = new Set(facts.flatMap((fact) => (fact.fact === 'deleting' ? [fact.conversationId] : [])))
  const stored = new Map(ids.map((id) => [id, linesOf(place, id)] as const))
  for (const id of ids) if (!deleting.has(id)) expectKept(place, { facts, before }, { id, lines: stored.get(id) ?? [] })
  expectBegun(facts, [...stored.values()].flat(), deleting.size > 0)
  expectConfigured(place, facts)
  const { host, started } = countingHost()
  const server = place.start({ files, host, checkpoints, model: scriptedModel({ text: 'On.' }) })
  const client = await server.connect()
  const listed = await client.request('conversation/list', {})
  for (const id of ids) {
    const isThere = await expectOpened(client, id, keptUpTo(facts, id) > 0 && !deleting.has(id))
    if (isThere) expect(listed.conversations.map(({ conversationId }) => conversationId)).toContain(id)
  }
  expect(started).toEqual([])
  await expectGone(facts, client)
  await server.close()
  for (const id of ids) await expectNamed(place, id)
}

function linesOf(place: TestPlace, id: string): readonly StoredLine[] {
  if (!existsSync(place.path(id))) return []
  const sound = place.logLines(id).filter((line) => checkLine(Buffer.from(line)).state === 'sound')
  return sound.map((text) => ({ ...JSON.parse(text), text }))
}

/** Expects every finished turn and every answer with all before it, side files included. */
function expectKept(
  place: TestPlace,
  { facts, before }: Lost,
  { id, lines }: { readonly id: string; readonly lines: readonly StoredLine[] },
): void {
  const upTo = keptUpTo(facts, id)
  const bySeq = new Map(lines.map((line) => [line.seq, line]))
  for (const fact of facts) {
    if (fact.fact !== 'seen' || fact.conversationId !== id || fact.envelope.seq > upTo) continue
    const { seq, crc, event } = fact.envelope
    expect({ type: event.type, seq, crc: bySeq.get(seq)?.crc }).toEqual({ type: event.type, seq, crc })
  }
  for (let seq = 1; seq <= upTo; seq++) expect([id, seq, bySeq.has(seq)]).toEqual([id, seq, true])
  const refs = lines.filter(({ seq }) => seq <= upTo).flatMap(({ text }) => sideFileRefsIn(text))
  const folder = place.path(id, 'sideFiles')
  const inRoot = folder.slice(place.root.length)
  const known = refs.filter((ref) => before.has(`${inRoot}/${ref.replace(':', '-')}`))
  for (const ref of known) expect([ref, readSideFile(files, { folder, ref }) !== null]).toEqual([ref, true])
}

/** Expects the log to hold the beginning of every effect. */
function expectBegun(facts: readonly Fact[], lines: readonly StoredLine[], isDeleted: boolean): void {
  if (isDeleted) return
  const begun = new Set(lines.flatMap(({ event }) => beginsOf(event)))
  const texts = lines.flatMap(({ event, text }) =>
    (event.type === 'item.started' || event.type === 'item.completed') && begun.has(event.item.id) ? [text] : [],
  )
  for (const fact of facts) {
    if (fact.fact !== 'effect') continue
    expect([fact.text, texts.some((text) => text.includes(JSON.stringify(fact.text).slice(1, -1)))]).toEqual([
      fact.text,
      true,
    ])
  }
}

/** Returns the item whose run an event begins; the start of a command of the user is its beginning, too. */
function beginsOf(event: ConversationEvent): readonly string[] {
  if (event.type === 'execution.started') return [event.itemId]
  return event.type === 'item.started' && event.item.type === 'shellCommand' ? [event.item.id] : []
}

/** Expects the rules and logins that clients were told of. */
function expectConfigured(place: TestPlace, facts: readonly Fact[]): void {
  const home = join(place.root, '.parley')
  for (const fact of facts) {
    if (fact.fact === 'rule') expect(readFileSync(join(home, 'policy.toml'), 'utf8')).toContain(fact.rule)
    if (fact.fact === 'login') expect([...readCredentialFile(home).keys()]).toContain(fact.provider)
  }
}

/** Opens a conversation; where nothing of it was promised it may be gone. Returns whether it is there. */
async function expectOpened(client: TestClient, conversationId: string, isPromised: boolean): Promise<boolean> {
  try {
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    // A turn that waits for a person goes on waiting.
    if (watched.state.core.turn !== null) return true
    await watched.send('go on')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn?.outcome).toBe('completed')
    return true
  } catch (error) {
    if (!(error instanceof RpcError) || isPromised) throw error
    expect(error.data?.['code']).toBe('conversationNotFound')
    return false
  }
}

async function expectGone(facts: readonly Fact[], client: TestClient): Promise<void> {
  const { conversations } = await client.request('conversation/list', {})
  const gone = facts.flatMap((fact) => (fact.fact === 'deleted' ? [fact.conversationId] : []))
  for (const id of gone) expect(conversations.map(({ conversationId }) => conversationId)).not.toContain(id)
}

/** Expects the log to name all that it lacks: opened again, it has no other loss. */
async function expectNamed(place: TestPlace, id: string): Promise<void> {
  if (!existsSync(place.path(id))) return
  const opened = await openLog(files, place.path(id), { reports: lossReports })
  if (opened.readOnly) throw new Error(opened.reason)
  await opened.log[Symbol.asyncDispose]()
  if (opened.last !== null) expect([id, opened.lost, opened.torn]).toEqual([id, [], null])
}
