import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startModelServer, waitUntil } from '@parley/testkit'
import { expect, test } from 'vitest'
import { processPlace } from './support/spawned-server.ts'

test('a server counts what it does for whoever has its token, without content and ids, and logs it without content', async () => {
  const command = 'echo hush >> ran'
  await using model = await startModelServer([
    { calls: [{ name: 'shell', arguments: { command } }] },
    { calls: [{ name: 'shell', arguments: { command: 'echo second >> ran' } }] },
    { text: 'Done.' },
  ])
  await using place = processPlace(model.url, 'untrusted')
  const tokenFile = join(place.root, 'token')
  const args = ['--listen', 'ws://127.0.0.1:0', '--token-file', tokenFile, '--metrics', '--log-format', 'json']
  const server = place.spawn(undefined, {}, args)
  const address = await waitUntil(() => /ws:\/\/([\d.:]+)/.exec(server.stderr())?.[1], { what: 'its address' })
  const client = await server.join()
  const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
  const watched = await client.watch(conversationId)
  await watched.send('whisper')
  await watched.decide('approved')
  await watched.until(({ core }) => Object.values(core.approvals).some(({ title }) => title === 'echo second >> ran'))

  const get = (headers: Record<string, string>) => fetch(`http://${address}/metrics`, { headers })
  const authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`
  expect((await get({})).status).toBe(401)
  expect((await get({ authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await get({ authorization, origin: 'http://page' })).status).toBe(403)
  const waiting = await (await get({ authorization })).text()
  expect(waiting).toContain('\nparley_approvals_open 1\n')
  expect(waiting).toContain('\nparley_turns_running 1\n')

  await watched.decide('denied')
  await watched.turnEnded()
  const text = await (await get({ authorization })).text()
  for (const line of [
    'parley_turns_total{outcome="completed"} 1',
    'parley_model_requests_total{outcome="completed"} 3',
    'parley_model_request_seconds_bucket{le="+Inf"} 3',
    'parley_calls_total{type="commandExecution",outcome="completed"} 1',
    'parley_calls_total{type="commandExecution",outcome="denied"} 1',
    'parley_approvals_total{decision="approved"} 1',
    'parley_approvals_total{decision="denied"} 1',
    'parley_approvals_open 0',
    'parley_conversations_open 1',
    'parley_conversations_unsaved 0',
    'parley_clients 1',
  ])
    expect(text.split('\n')).toContain(line)
  expect(text).toMatch(/^parley_memory_bytes\{kind="rss"\} \d+$/m)
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) parley_|parley_\w+(\{[^}]*\})? [\d.e+-]+$)/)
  for (const secret of [conversationId, 'whisper', 'hush', place.root]) expect(text).not.toContain(secret)

  server.child.kill('SIGTERM')
  await server.exited
  const lines = server.stderr().trimEnd().split('\n')
  const logged: { event: string }[] = lines.map((line) => JSON.parse(line))
  const { pid } = server
  for (const entry of logged) expect(entry).toMatchObject({ time: expect.stringMatching(/Z$/), level: 'info', pid })
  const ofTalk = logged.filter((entry) => 'conversation' in entry && entry.conversation === conversationId)
  expect(ofTalk.map(({ event }) => event)).toEqual([
    'conversation.opened',
    'turn.started',
    ...['approval.requested', 'approval.decided', 'call.ended'],
    ...['approval.requested', 'approval.decided', 'call.ended'],
    'turn.ended',
  ])
  expect(logged[0]).toMatchObject({ event: 'server.listening', address: `ws://${address}` })
  expect(logged.at(-1)).toMatchObject({ event: 'server.ended', saved: 'yes' })
  for (const secret of ['whisper', 'hush', 'second', 'Done', place.root]) expect(server.stderr()).not.toContain(secret)
})

test('a server that was not asked to count has no such page', async () => {
  await using place = processPlace('http://127.0.0.1:9/v1')
  const server = place.spawn(undefined, {}, ['--listen', 'ws://127.0.0.1:0'])
  const address = await waitUntil(() => /ws:\/\/([\d.:]+)/.exec(server.stderr())?.[1], { what: 'its address' })
  const authorization = `Bearer ${readFileSync(join(place.root, '.parley', 'server-token'), 'utf8').trim()}`
  expect((await fetch(`http://${address}/metrics`, { headers: { authorization } })).status).toBe(404)
})
