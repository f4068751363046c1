import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryTransportPair, type Transport } from '@parley/rpc'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Proven } from '../../../src/frontends/web/greet-page.ts'
import { createPageSource } from '../../../src/frontends/web/page-source.ts'
import { createTeamPage } from '../../../src/frontends/web/team-page.ts'
import { startTeam, type Team } from '../../engine/support/team.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-team-page-'))
  for (const name of ['index.html', 'page.js', 'page.css']) writeFileSync(join(folder, name), name)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns what the page of a team answers to a first message, and what it lets in. */
function pageOf({ server }: Team) {
  const rightsOf = server.engine.rights.ofToken
  if (rightsOf === null) throw new Error('the server has no users')
  const proven: Proven[] = []
  const source = createTeamPage({ folder, rightsOf, otherOrigins: () => [], accept: (_, one) => void proven.push(one) })
  return {
    proven,
    async say(message: unknown): Promise<unknown> {
      const [ours, theirs] = createMemoryTransportPair()
      void source.onConnection(theirs, () => undefined)
      ours.send(JSON.stringify(message))
      return firstOf(ours)
    },
  }
}

async function firstOf(transport: Transport): Promise<unknown> {
  const next = await transport.incoming[Symbol.asyncIterator]().next()
  return next.done === true || next.value.kind !== 'message' ? null : next.value.value
}

it('lets in users by their tokens, and tells everyone else that it would', async () => {
  await using team = await startTeam(['ada'])
  const page = pageOf(team)
  const rejected = { error: 'notAdmitted', signIn: true }
  for (const message of [{}, null, 'text', { token: 'stale' }, { token: 7 }, { code: 'ada' }])
    expect(await page.say(message)).toEqual(rejected)
  expect(page.proven).toEqual([])
  const operator = await team.operator()
  const { token } = await operator.request('user/token', { user: 'ada' })
  expect(await page.say({ token })).toEqual({ token, access: 'full' })
  expect(page.proven[0]?.rights?.person).toEqual({ kind: 'user', name: 'ada' })
  await operator.request('user/remove', { user: 'ada' })
  expect(await page.say({ token })).toEqual(rejected)
})

it('makes room for a page at the expense of the connection that has said nothing for longest', async () => {
  const accepted: Proven[] = []
  const proven: Proven = { token: 'good', access: 'full' }
  const source = createPageSource({
    ...{ folder, offersSignIn: true, maxUnproven: 2, otherOrigins: () => [] },
    prove: () => proven,
    accept: (_, one) => void accepted.push(one),
  })
  const connect = () => {
    const [ours, theirs] = createMemoryTransportPair()
    void source.onConnection(theirs, () => undefined)
    return ours
  }
  const [longest, other, page] = [connect(), connect(), connect()]
  expect(await firstOf(longest)).toBeNull()
  for (const one of [page, other]) {
    one.send(JSON.stringify({ token: 'good' }))
    expect(await firstOf(one)).toMatchObject({ token: 'good' })
  }
  expect(accepted).toEqual([proven, proven])
})

it('lets in whoever has a link to read, until it is revoked', async () => {
  await using team = await startTeam(['ada'])
  const page = pageOf(team)
  const ada = await team.as('ada')
  const { conversationId } = await ada.request('conversation/create', { cwd: team.place.cwd })
  team.server.engine.listensAt({ socket: null, others: [], page: 'https://a.example' })
  const { code: token, linkId, url } = await ada.request('conversation/link/make', { conversationId })
  expect(url).toBe(`https://a.example/#link=${token}`)
  expect(await page.say({ token })).toEqual({ token, access: 'readOnly' })
  const { person } = page.proven[0]?.rights ?? {}
  expect(person).toMatchObject({ kind: 'guest', conversationId })
  await ada.request('conversation/link/revoke', { conversationId, linkId })
  expect(await page.say({ token })).toEqual({ error: 'notAdmitted', signIn: true })
})
