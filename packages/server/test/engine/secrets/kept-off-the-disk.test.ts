import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { secretCorpus } from '@parley/testkit'
import { expect, it } from 'vitest'
import { calling, mcpPlace } from '../../tools/mcp/support/mcp-place.ts'
import { testPlace } from '../support/test-server.ts'

const corpus = secretCorpus('disk')
const all = corpus.map(({ text }) => text).join('\n\n')
const own = 'Zq7-own+value/of&this run'
const env = { PATH: process.env['PATH'], SHOP_TOKEN: own }
const secrets = [...corpus.map(({ secret }) => secret), own]
const free = { sandbox: 'danger-full-access' } as const

function foundIn(text: string): string[] {
  return secrets.filter((secret) => text.includes(secret))
}

/** The secrets in all files of a home, names included, but for exact contents of the user's own files, kept for a rewind. */
function foundOnDisk(root: string): string[] {
  const home = join(root, '.parley')
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.length).toBeGreaterThan(2)
  const kept = files.filter(({ parentPath }) => parentPath.startsWith(join(home, 'snapshots')))
  for (const { parentPath, name } of kept) expect(statSync(join(parentPath, name)).mode & 0o077).toBe(0)
  if (kept.length > 0) expect(statSync(join(home, 'snapshots')).mode & 0o077).toBe(0)
  const others = files.filter((file) => !kept.includes(file))
  return others.flatMap(({ parentPath, name }) => foundIn(name + readFileSync(join(parentPath, name), 'latin1')))
}

/** As a provider streams it: a few letters at a time. */
function inDeltas(text: string): string[] {
  return text.match(/.{1,7}/gs) ?? []
}

it('no secret reaches log, side files, clients or the model', async () => {
  await using place = testPlace()
  place.write('keys.txt', all)
  place.write('AGENTS.md', all)
  const added = all.replaceAll(/^/gm, '+')
  const model = scriptedModel(
    { reasoning: all, text: inDeltas(all), calls: [{ name: 'shell', args: { command: `cat <<'EOF'\n${all}\nEOF` } }] },
    {
      calls: [
        { name: 'shell', args: { command: 'for n in 1 2 3 4 5 6 7 8 9; do cat keys.txt; sleep 0; done; exit 3' } },
      ],
    },
    {
      calls: [
        { name: 'read_file', args: { path: 'keys.txt' } },
        { name: 'search', args: { pattern: '[A-Za-z]' } },
      ],
    },
    {
      calls: [
        { name: 'apply_patch', args: { patch: `*** Begin Patch\n*** Add File: new.txt\n${added}\n*** End Patch` } },
      ],
    },
    {
      calls: [
        { name: 'no_such_tool', args: { all } },
        { name: 'shell', args: all },
      ],
    },
    { failure: { message: `The provider says: ${all}`, retry: 'never' } },
  )
  const { watched, client, server } = await place.talk({ model, env }, free)
  await watched.send(`${all} ${own}`)
  await watched.turnEnded()
  await client.request('conversation/runShell', {
    conversationId: watched.conversationId,
    command: `echo '${own}'; cat keys.txt`,
  })
  await watched.until(({ core }) => (Object.keys(core.open).length === 0 ? true : undefined))
  await client.request('conversation/rename', { conversationId: watched.conversationId, name: own })
  await server.close()

  expect(foundOnDisk(place.root)).toEqual([])
  expect(foundIn(JSON.stringify(watched.events))).toEqual([])
  expect(foundIn(JSON.stringify(model.requests))).toEqual([])
  expect(place.read('new.txt').trimEnd()).toBe(all.trimEnd())
  const spoken = watched.items().find(({ type }) => type === 'agentMessage')
  const deltas = watched.events.flatMap(({ event }) =>
    event.type === 'item.delta' && event.itemId === spoken?.id ? [event.text] : [],
  )
  expect(spoken?.text).toContain('[secret:SHOP'.slice(0, 8))
  expect(spoken?.text.startsWith(deltas.join(''))).toBe(true)
  expect(foundIn(deltas.join(''))).toEqual([])
})

it('a message too long for the log has marks in its side file and in its shown beginning', async () => {
  await using place = testPlace()
  const model = scriptedModel()
  const { watched, server } = await place.talk({ model, env })
  const long = `${'word '.repeat(407)}${own} ${all} ${'word '.repeat(300_000)}`
  await watched.send(long)
  await watched.turnEnded()
  await server.close()
  const [message, notice] = watched.items()
  expect(message).toMatchObject({ content: [{ text: expect.stringContaining('[secret:'), file: expect.any(String) }] })
  expect(notice).toMatchObject({ code: 'secretInMessage' })
  expect(foundOnDisk(place.root)).toEqual([])
  expect(foundIn(JSON.stringify(watched.events))).toEqual([])
  expect(foundIn(JSON.stringify(model.requests))).toEqual([])
  expect(JSON.stringify(model.requests).length).toBeGreaterThan(1_500_000)
})

it('answers, progress and logs of an MCP server have marks, and the server gets exact arguments', async () => {
  await using place = mcpPlace()
  place.configure('ugly', 'plain')
  const model = scriptedModel(calling('echo', { own, all }), { text: 'ok' })
  const { watched, server } = await place.talkTo(model, free, { env })
  await watched.send('go')
  await watched.turnEnded()
  await server.close()
  const sent = place.diary('ugly').find(({ method }) => method === 'tools/call')
  expect(sent?.params?.['arguments']).toEqual({ own, all })
  expect(foundOnDisk(place.root)).toEqual([])
  expect(foundIn(JSON.stringify(model.requests))).toEqual([])
})
