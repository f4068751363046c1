import { existsSync } from 'node:fs'
import { countingHost } from '@parley/engine/test/support/counting-host.ts'
import { type ScriptedModel, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestClient, Watched } from '@parley/engine/test/support/test-client.ts'
import { checkLine } from '@parley/journal'
import type { ConversationSummary } from '@parley/protocol'
import { expect } from 'vitest'
import type { ProcessPlace } from './spawned-server.ts'

export interface Recovered {
  readonly client: TestClient
  readonly summary: ConversationSummary
  readonly watched: Watched
  readonly model: ScriptedModel
  /** Commands started since. */
  readonly started: readonly string[]
}

/** Takes a killed server's conversation over at once, in this process, which is another one. */
export async function takeOver(place: ProcessPlace, conversationId: string): Promise<Recovered> {
  const model = scriptedModel()
  const { host, started } = countingHost()
  // The shell of the killed process: a yes is to its command line, shell and all.
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'
  const client = await place.start({ model, host, shell }).connect()
  const summary = await client.request('conversation/resume', { conversationId })
  return { client, summary, watched: await client.watch(conversationId), model, started }
}

/** Promise 1: every event a client saw is on disk, and nothing of it is missing in between. */
export function expectShownIsStored(place: ProcessPlace, { conversationId, events }: Watched): void {
  if (events.length === 0 && !existsSync(place.path(conversationId))) return
  const sound = place.logLines(conversationId).filter((line) => checkLine(Buffer.from(line)).state === 'sound')
  const stored = sound.map((line) => JSON.parse(line))
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1))
  for (const { seq, crc } of events) expect(stored[seq - 1]).toMatchObject({ seq, crc })
}
