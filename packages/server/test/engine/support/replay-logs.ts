import { appendFileSync, copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { localEnvironment } from '@parley/workspace'
import { expect } from 'vitest'
import { readRecording } from '../../../src/engine/replay/read-recording.ts'
import { replayRecording } from '../../../src/engine/replay/replay-recording.ts'
import { testParts } from './test-parts.ts'

export async function replayLogs(root: string) {
  if (process.env['REPLAY_TO'] === undefined) return
  const parts = testParts(root, {})
  const folder = join(root, '.parley', 'sessions')
  for (const name of readdirSync(folder, { recursive: true }).map(String).filter((name) => /[0-9a-f]{12}\.jsonl$/.test(name) && !name.includes('deleted'))) {
    let r: unknown
    try {
      const rec = readRecording(nodeFiles, join(folder, name))
      r = await replayRecording(rec, 'parley/test', { files: nodeFiles, home: parts.home, tools: { environment: localEnvironment(parts), shellParser: parts.shellParser } })
    } catch (e) { r = { difference: String((e as Error).stack) } }
    const d = (r as { difference: unknown }).difference
    if (d !== null) { copyFileSync(join(folder, name), `/tmp/r14/${name.split('/').at(-1)}`); r = { ...(r as object), name } }
    appendFileSync(process.env['REPLAY_TO'], JSON.stringify({ ok: d === null, test: `${expect.getState().testPath?.split('/test/')[1]} ${expect.getState().currentTestName}`, ...(r as object) }) + '\n')
  }
}
