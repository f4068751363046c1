import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { keptContents } from '@parley/engine/src/history/kept-contents.ts'
import { checkLine, nodeFiles, StorageError } from '@parley/journal'
import type { ConversationEvent, Envelope } from '@parley/protocol'
import { openStore, UnusableStoreError } from '@parley/team/store'
import { tempDirectory } from '@parley/testkit'
import { expect } from 'vitest'
import { hangMs } from './strike.ts'
import type { Talk } from './talk.ts'
import type { Team } from './team.ts'

interface Kept {
  readonly bytes: Buffer
  readonly envelopes: readonly Envelope[]
}

/**
 * Checks what must hold at any time: what anybody was shown is in the store as it was shown, each number once; no
 * command ran twice, none without a recorded start; no call was asked about under two ids; copies are what the store has.
 */
export async function checkTeam(team: Team, talks: readonly Talk[]): Promise<void> {
  await using world = await tempDirectory()
  await using store = await patiently(() => openStore({ servers: team.store.addresses, replicas: 3, files: nodeFiles }))
  const started = new Set<string>()
  for (const talk of talks) {
    const { conversationId } = talk
    const log = join(world.path, `${conversationId}.jsonl`)
    const fresh = {
      conversationId,
      log,
      sideFiles: `${log}.files`,
      acked: `${log}.acked`,
      contents: keptContents(world.path),
    }
    expect(await patiently(() => store.copies.refresh(fresh))).toBe(true)
    const kept = readKept(log)
    expectShown(talk, kept)
    expectCopies(team, talk, kept)
    for (const line of startedLines(kept)) started.add(line)
    rmSync(log)
  }
  for (const { place } of team.members) {
    const ran = existsSync(join(place.cwd, 'ran')) ? place.read('ran').split('\n').slice(0, -1) : []
    expect(ran.filter((line, index) => ran.indexOf(line) !== index)).toEqual([])
    expect(ran.filter((line) => !started.has(line))).toEqual([])
  }
}

/** Tries again what fails while servers of the store come together. */
async function patiently<Result>(run: () => Promise<Result>): Promise<Result> {
  for (const endMs = performance.now() + hangMs; ; )
    try {
      return await run()
    } catch (error) {
      const passes = error instanceof UnusableStoreError || (error instanceof StorageError && error.retryable)
      if (!passes || performance.now() > endMs) throw error
      await pause(500)
    }
}

function readKept(log: string): Kept {
  const bytes = readFileSync(log)
  const lines = bytes.toString().split('\n').slice(1, -1)
  expect(lines.filter((line) => checkLine(Buffer.from(line)).state !== 'sound')).toEqual([])
  const envelopes = lines.map((line): Envelope => JSON.parse(line))
  expect(envelopes.map(({ seq }) => seq)).toEqual(envelopes.map((_, index) => index + 1))
  return { bytes, envelopes }
}

/** Compares the events shown since the last check with the log, whose lines never change. */
function expectShown({ conversationId, takeShown }: Talk, { envelopes }: Kept): void {
  for (const { seq, crc } of takeShown())
    expect([conversationId, seq, envelopes[seq - 1]?.crc]).toEqual([conversationId, seq, crc])
}

/** Every copy is what the store has, up to where it was brought. */
function expectCopies({ members }: Team, { conversationId }: Talk, { bytes }: Kept): void {
  for (const { place } of members) {
    const log = place.path(conversationId)
    const acked = log.replace('.jsonl', '.acked')
    if (!existsSync(acked)) continue
    const marked = Number(/"bytes":(\d+)/.exec(readFileSync(acked, 'utf8'))?.[1])
    const copy = readFileSync(log).subarray(0, marked)
    expect(copy.equals(bytes.subarray(0, copy.length))).toBe(true)
  }
}

/** Returns the lines of the commands that were started; each call was asked about under one id. */
function startedLines({ envelopes }: Kept): string[] {
  const events = envelopes.map(({ event }): ConversationEvent => event)
  const asked = events.flatMap((event) => (event.type === 'approval.requested' ? [event.approval.itemId] : []))
  expect(asked.filter((item, index) => asked.indexOf(item) !== index)).toEqual([])
  const commands = new Map(
    events.flatMap((event) => {
      const line = event.type === 'item.started' ? / (\d+) >> ran/.exec(JSON.stringify(event.item))?.[1] : undefined
      return event.type === 'item.started' && line !== undefined ? [[event.item.id, line] as const] : []
    }),
  )
  const starts = events.flatMap((event) => (event.type === 'execution.started' ? [event.itemId] : []))
  expect(starts.filter((item, index) => starts.indexOf(item) !== index)).toEqual([])
  return starts.flatMap((item) => commands.get(item) ?? [])
}
