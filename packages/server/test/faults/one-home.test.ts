import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestClient } from '@parley/engine/test/support/test-client.ts'
import { type ScriptedStep, startModelServer } from '@parley/testkit'
import { expect, it } from 'vitest'
import { type ProcessPlace, processPlace } from '../e2e/support/spawned-server.ts'

const rounds = 5

/** Runs conversations one after the other, each with a rule for always, a theme and a list in between. */
async function work(client: TestClient, place: ProcessPlace, name: string): Promise<string[]> {
  const ids: string[] = []
  for (let round = 0; round < rounds; round++) {
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    ids.push(conversationId)
    const watched = await client.watch(conversationId)
    await watched.send(`touch ${name}-${round}`)
    const { id: approvalId } = await watched.approval()
    await client.request('approval/decide', { conversationId, approvalId, decision: 'approvedAlways' })
    await watched.turnEnded()
    await client.request('conversation/rename', { conversationId, name: `${name}-${round}` })
    await client.request('config/write', { key: 'tui.theme', value: round % 2 === 0 ? 'dark' : 'light' })
    await client.request('conversation/list', {})
  }
  return ids
}

it('two servers that work in one home at once lose no conversation, no rule and no setting', {
  timeout: 60_000,
}, async () => {
  const answer: ScriptedStep = ({ text }) => {
    if (text.includes('function_call_output')) return { text: 'Made.' }
    return { calls: [{ name: 'shell', arguments: { command: /touch (?:one|two)-\d/.exec(text)?.[0] } }] }
  }
  await using model = await startModelServer(Array.from({ length: 4 * rounds }, () => answer))
  await using place = processPlace(model.url)
  const names = ['one', 'two']
  const clients = await Promise.all(names.map(() => place.spawn().connect()))
  const ids = (await Promise.all(clients.map((client, index) => work(client, place, names[index] ?? '')))).flat()
  for (const client of clients) {
    const { conversations } = await client.request('conversation/list', {})
    expect(conversations.map(({ conversationId }) => conversationId).toSorted()).toEqual(ids.toSorted())
    expect(new Set(conversations.map(({ name }) => name)).size).toBe(2 * rounds)
  }
  const home = join(place.root, '.parley')
  const rules = readFileSync(join(home, 'policy.toml'), 'utf8')
  expect(rules.match(/touch/g)).toHaveLength(2 * rounds)
  expect(readFileSync(join(home, 'config.toml'), 'utf8')).toMatch(/base_url[\s\S]*\[tui\]\ntheme = "(?:dark|light)"\n/)
  expect(readdirSync(home, { recursive: true }).filter((name) => String(name).endsWith('.tmp'))).toEqual([])
})
