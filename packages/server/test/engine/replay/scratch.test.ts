import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { localEnvironment } from '@parley/workspace'
import { expect, it } from 'vitest'
import { readRecording } from '../../../src/engine/replay/read-recording.ts'
import { replayRecording } from '../../../src/engine/replay/replay-recording.ts'
import { testParts } from '../support/test-parts.ts'
import { testPlace } from '../support/test-server.ts'

const folder = process.env['LOGS'] ?? join(import.meta.dirname, '../../fixtures/logs')
const all = readdirSync(folder, { recursive: true }).map(String).filter((name) => name.endsWith('.jsonl'))
it.each(all)('%s', async (name) => {
  await using place = testPlace()
  const parts = testParts(place.root, {})
  const rec = readRecording(nodeFiles, join(folder, name), process.env['LOGS'] ? undefined : join(folder, 'files'))
  const r = await replayRecording(rec, 'parley/test', { files: nodeFiles, home: parts.home, tools: { environment: localEnvironment(parts), shellParser: parts.shellParser } })
  expect(r.difference).toBe(null)
  console.log(name, JSON.stringify(r))
})
