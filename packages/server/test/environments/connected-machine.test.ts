import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { servedUsers } from '@parley/exec-server/src/handshake.ts'
import { stayConnected } from '@parley/exec-server/src/program/stay-connected.ts'
import { execPlace } from '@parley/exec-server/test/support/in-process.ts'
import { listenOn } from '@parley/serving/src/listen.ts'
import { waitUntil } from '@parley/testkit'
import { createEnvironments, type Environment } from '@parley/workspace'
import { describe, expect, it } from 'vitest'
import { startTeam } from '../engine/support/team.ts'
import { connectedSection, modelSection } from './support/config-for.ts'

interface Laptop {
  readonly name?: string
  readonly users?: readonly string[]
  /** Users whom the machine itself works for besides its owner; those it tells the server of unless told. */
  readonly served?: readonly string[]
}

/** A server of ada, bo and cy at a websocket, to which ada's machine connects. */
async function startWorld({ name = 'laptop', users = [], served = users }: Laptop = {}) {
  const logged: unknown[] = []
  const team = await startTeam(['ada', 'bo', 'cy'], { machinesComeMs: 0, logEvent: (entry) => logged.push(entry) })
  const work = join(team.place.root, 'there')
  mkdirSync(work)
  team.place.write('../.parley/config.toml', `${modelSection}${connectedSection({ work }, 'ada/laptop')}`)
  const { rights, machines } = team.server.engine
  const unused = { accept: () => undefined }
  const at = { kind: 'websocket', host: '127.0.0.1', port: 0 } as const
  const { listener, address } = await listenOn(
    at,
    { tokenFile: null },
    { connections: unused, home: '', rightsOf: rights.ofToken, machines, writeLog: () => undefined },
  )
  const machine = execPlace({ assertServed: servedUsers(served) })
  const end = new AbortController()
  const said: string[] = []
  const connect = (token: string, run = 'one') => {
    const tokenFile = join(team.place.root, `token-${run}`)
    writeFileSync(tokenFile, token, { mode: 0o600 })
    const ways = { name, users, run, tokenFile, servers: [address], ca: null }
    return stayConnected({ ...ways, serve: machine.serve, say: (text) => said.push(text), signal: end.signal })
  }
  const heard = (text: string) => waitUntil(() => said.some((sentence) => sentence.includes(text)), { what: text })
  return {
    ...{ team, work, said, logged, connect, heard },
    token: (user: string) => team.tokenOf(user),
    async [Symbol.asyncDispose]() {
      end.abort()
      await machine[Symbol.asyncDispose]()
      await listener.close()
      await team[Symbol.asyncDispose]()
    },
  }
}

const inBox = { cwd: '/', environment: 'box' }
const hello = [{ type: 'text' as const, text: 'hi' }]

describe('a machine that connects', () => {
  it('is there for its owner, and for others as one that does not exist', async () => {
    await using world = await startWorld()
    const { team, work } = world
    const [ada, bo] = [await team.as('ada'), await team.as('bo')]
    const unknown = await bo.refused('conversation/create', inBox)
    const box = { name: 'box', cwd: work }
    expect(await ada.request('environment/list', {})).toEqual({ environments: [box], chosen: 'local' })
    void world.connect(world.token('ada'))
    await world.heard('connected to')
    const { conversationId } = await ada.request('conversation/create', { ...inBox, cwd: work })
    expect(await bo.refused('conversation/create', { ...inBox, cwd: work })).toEqual(unknown)
    expect(unknown).toMatchObject({ code: 'environmentUnreachable' })
    expect(await bo.request('environment/list', {})).toEqual({ environments: [], chosen: 'local' })
    const { values } = await bo.request('config/read', { cwd: team.place.cwd })
    expect(values.map(({ key }) => key)).toEqual(['approval_policy', 'model', 'model_provider', 'sandbox_mode'])

    await ada.request('conversation/share', { conversationId, user: 'bo', role: 'editor' })
    const refused = await bo.refused('conversation/sendMessage', { conversationId, input: hello })
    expect(refused).toMatchObject({ code: 'notPermitted', message: expect.stringContaining('machine of another user') })
    const loosened = { conversationId, settings: { sandbox: 'danger-full-access' } } as const
    expect(await bo.refused('conversation/configure', loosened)).toEqual(refused)
    for (const looked of [
      bo.refused('conversation/findFiles', { conversationId, query: '' }),
      bo.refused('conversation/remember/plan', { conversationId, text: 't', where: 'project' }),
      bo.refused('conversation/rewind/plan', { conversationId, to: 0 }),
      bo.refused('conversation/compact', { conversationId }),
    ])
      expect(await looked).toEqual(refused)
    // Opened by bo, its hooks and tool servers would start on the machine of ada.
    await ada.peer.close()
    await waitUntil(() => team.server.engine.host.conversations.length === 0, { what: 'the end of it' })
    const unopened = await bo.refused('conversation/resume', { conversationId })
    expect(unopened).toMatchObject({
      code: 'notPermitted',
      message: expect.stringContaining('machine of another user'),
    })
    const again = await team.as('ada')
    expect(await again.request('conversation/resume', { conversationId })).toMatchObject({ readOnly: false })
  })

  it('is told of a copy that it is for who made it', async () => {
    await using world = await startWorld()
    const { team, work } = world
    const [ada, bo] = [await team.as('ada'), await team.as('bo')]
    void world.connect(world.token('ada'))
    await world.heard('connected to')
    const { conversationId } = await ada.request('conversation/create', { ...inBox, cwd: work })
    const watched = await ada.watch(conversationId)
    await watched.send('hi')
    await watched.turnEnded()
    await ada.request('conversation/share', { conversationId, user: 'bo', role: 'reader' })
    const copy = await bo.request('conversation/fork', { conversationId })
    expect(copy.warnings).toContainEqual(expect.stringContaining('that this conversation may use'))
    const find = { conversationId: copy.conversationId, query: '' }
    expect(await bo.refused('conversation/findFiles', find)).toMatchObject({ code: 'notPermitted' })
    const own = await ada.request('conversation/fork', { conversationId })
    expect(own.warnings).toEqual([])
  })

  it('is there for users whom its owner names', async () => {
    await using world = await startWorld({ users: ['bo'] })
    void world.connect(world.token('ada'))
    await world.heard('connected to')
    const bo = await world.team.as('bo')
    await bo.request('conversation/create', { ...inBox, cwd: world.work })
    expect(await bo.request('environment/list', {})).toMatchObject({ environments: [{ name: 'box' }] })
    const cy = await world.team.as('cy')
    expect(await cy.refused('conversation/create', inBox)).toMatchObject({ code: 'environmentUnreachable' })
  })

  it('turns away users whom its owner does not name, whatever the server says', async () => {
    await using world = await startWorld({ users: ['bo'], served: [] })
    void world.connect(world.token('ada'))
    await world.heard('connected to')
    const bo = await world.team.as('bo')
    const { message } = await bo.refused('conversation/create', { ...inBox, cwd: world.work })
    expect(message).toContain('this machine does not work for bo')
  })

  it('needs the token of a user, and the name is one machine’s', async () => {
    await using world = await startWorld()
    void world.connect('stolen', 'thief')
    await world.heard('asks for another token')
    void world.connect(world.token('ada'))
    await world.heard('connected to')
    void world.connect(world.token('ada'), 'two')
    await world.heard('has another machine under this name')
    expect(world.said.filter((sentence) => sentence.startsWith('connected to'))).toHaveLength(1)
  })

  it('that is no longer configured refuses nobody: where it is taken, it is said what is wrong', () => {
    const local = {} as Environment
    const environments = createEnvironments({ local, home: '', env: {} })
    expect(environments.refuses({ environment: 'box', config: {} }, 'bo')).toBe(false)
    expect(() => environments.take({ environment: 'box', config: {} })).toThrow('there is no [environments.box]')
  })

  it('is disconnected when its user is removed', async () => {
    await using world = await startWorld()
    void world.connect(world.token('ada'))
    await world.heard('connected to')
    world.team.users.onChange(world.team.server.engine.machines.recheck)
    expect(world.said).toHaveLength(1)
    world.team.users.remove({ user: 'ada' })
    await world.heard('asks for another token')
    const machines = world.logged.filter((entry) => JSON.stringify(entry).includes('machine.'))
    const who = { machine: 'laptop', user: 'ada' }
    expect(machines).toEqual([
      { event: 'machine.connected', ...who },
      { event: 'machine.disconnected', ...who },
    ])
  })
})

describe('the users whom a machine works for', () => {
  it.each([
    [null, undefined, null],
    [null, { users: [] }, null],
    [null, { owner: 'ada', users: ['ada'] }, null],
    [null, { owner: 'ada', users: ['bo'] }, 'does not work for bo'],
    [null, { users: ['bo'] }, 'does not work for bo'],
    [['bo'], { owner: 'ada', users: ['ada', 'bo'] }, null],
    [['bo'], { owner: 'ada', users: ['bo', 'cy'] }, 'does not work for cy'],
    [['bo'], { owner: 'ada', users: [] }, 'the server has no users'],
    [['bo'], undefined, 'the server has no users'],
  ])('named %j, and asked for %j: %s', (named, people, refusal) => {
    const ask = () => servedUsers(named)(people)
    if (refusal === null) expect(ask).not.toThrow()
    else expect(ask).toThrow(refusal)
  })
})
