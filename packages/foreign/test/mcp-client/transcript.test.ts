import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expectTranscript, recordTranscript, waitUntil } from '@parley/testkit'
import { it } from 'vitest'
import { referenceServer, startTalk, stdioServer } from './talk.ts'

const tee = fileURLToPath(new URL('tee.mjs', import.meta.url))
const call = (tool: string, args: unknown = {}) => ({
  calls: [{ name: `mcp__everything__${tool}`, arguments: args }],
})

it('a session with server-everything is the one in the docs', { timeout: 60_000 }, async () => {
  await using talk = await startTalk({
    config: stdioServer('everything', [tee, '$CWD/wire', referenceServer('everything'), 'stdio']),
    policy: '[[rule]]\ndecision = "allow"\nmcp = "everything/*"\n',
    steps: [
      call('get-sum', { a: 2, b: 3 }),
      call('trigger-elicitation-request'),
      call('trigger-long-running-operation', { duration: 60, steps: 600 }),
    ],
  })
  await talk.send('Add, ask, and take your time')
  await talk.decide(await talk.approval('elicitation'), 'approved', { answers: { name: 'Ada', integer: 7 } })
  await talk.event('item.delta')
  await talk.interrupt()
  await talk.turnEnded()
  const wire = join(talk.cwd, 'wire')
  await waitUntil(async () => (await readFile(wire, 'utf8')).includes('notifications/cancelled'), {
    what: 'the cancellation',
  })
  const transcript = recordTranscript()
  for (const line of (await readFile(wire, 'utf8')).split('\n')) {
    // Progress goes on until the cancellation arrives, which is sooner or later.
    const isMore = line.includes('notifications/progress') && !line.includes('"progress":1,')
    if (!isMore) transcript.line(line.startsWith('<') ? '<' : '>', line.slice(2))
  }
  expectTranscript('docs/transcripts/mcp-client.jsonl', transcript.entries, { keys: ['version'] })
})
