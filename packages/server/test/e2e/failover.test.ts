import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Conversation, connect, type LinkState, type Parley } from '@parley/client'
import {
  hasNats,
  loopbackCertificate,
  type NatsServers,
  type ScriptedStep,
  startModelServer,
  startNats,
  waitUntil,
} from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ProcessPlace, processPlace, type SpawnedServer } from './support/spawned-server.ts'

describe.skipIf(!hasNats)('a client of several servers', { timeout: 60_000 }, () => {
  let nats: NatsServers
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats[Symbol.asyncDispose]())

  it('answers a question at the next server when the one that asked was killed', async () => {
    await using team = await startTeam(
      nats,
      { calls: [{ name: 'shell', arguments: { command: 'echo x >> ran' } }] },
      done,
    )
    await using parley = await team.connect()
    const conversation = await parley.create({ cwd: team.cwd })
    const seqs = collect(conversation)
    await conversation.send('go')
    const asked = await approvalOf(conversation)
    await using watching = await team.connect()
    const watched = await watching.watch(conversation.id)
    const seen = collect(watched)
    const links: LinkState[] = []
    conversation.onLink((link) => links.push(link))
    await team.end(0, 'SIGKILL')

    // It waits for the next server, with everything that was shown before.
    await conversation.decide(asked, 'approved')
    await ended(conversation)
    expect(readFileSync(join(team.cwd, 'ran'), 'utf8')).toBe('x\n')
    expect(seqs).toEqual(Array.from(seqs, (_, at) => at + 1))
    const [lost, ...later] = links
    expect(lost).toMatchObject({ kind: 'lost', address: team.urls[0] })
    // Who only watches goes on there, too.
    await ended(watched)
    expect(watched.state.core).toEqual(conversation.state.core)
    expect(seen).toEqual(Array.from(seen, (_, at) => (seen[0] ?? 0) + at))
    expect(watched.readOnly).toBe(true)
    expect(later.at(-1)).toMatchObject({ kind: 'up', address: team.urls[1] })
  })

  const cut: ScriptedStep = { text: 'half of it', hang: 'mid' }
  it.each(['SIGKILL', 'SIGTERM'] as const)('sees a turn go on at the next server after %s', async (signal) => {
    await using team = await startTeam(nats, cut, done)
    await using parley = await team.connect()
    const conversation = await parley.create({ cwd: team.cwd })
    const seqs = collect(conversation)
    const turn = await conversation.send('go')
    await waitUntil(() => team.requests() === 1, { what: 'the first request' })
    for await (const event of turn) if (event.type === 'item.delta') break
    await team.end(0, signal)

    expect(await turn.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(team.requests()).toBe(2)
    expect(seqs).toEqual(Array.from(seqs, (_, at) => at + 1))
  })

  it('goes through the server that it knows where it cannot reach the one that has the conversation', async () => {
    await using team = await startTeam(
      nats,
      { calls: [{ name: 'shell', arguments: { command: 'echo z >> ran' } }] },
      done,
    )
    await using owner = await team.connect()
    const here = await owner.create({ cwd: team.cwd })
    await here.send('go')
    const asked = await approvalOf(here)
    // It does not know the authority of the first server's certificate; the second one does.
    await using far = await connect({ urls: [team.plainUrls[1] ?? ''], token: team.token })
    const there = await far.resume(here.id)
    expect(there.attached).toBe(true)
    const seqs = collect(there)
    await there.decide(asked, 'approved')
    await ended(there)
    expect(readFileSync(join(team.cwd, 'ran'), 'utf8')).toBe('z\n')
    expect(seqs).toEqual(Array.from(seqs, (_, at) => (seqs[0] ?? 0) + at))
  })

  it('shows a question once when another server took the conversation over, and answers it there', async () => {
    await using team = await startTeam(
      nats,
      { calls: [{ name: 'shell', arguments: { command: 'echo y >> ran' } }] },
      done,
    )
    await using one = await team.connect()
    await using other = await team.connect([...team.urls].reverse())
    const here = await one.create({ cwd: team.cwd })
    await here.send('go')
    const asked = await approvalOf(here)
    team.signal(0, 'SIGSTOP')
    const there = await other.resume(here.id)
    expect(Object.keys(there.state.core.approvals)).toEqual([asked])
    team.signal(0, 'SIGCONT')

    // A write of the paused server is refused, and its client goes where the conversation is.
    await here.decide(asked, 'approved')
    await ended(there)
    await ended(here)
    expect(here.state.core.approvals).toEqual({})
    expect(readFileSync(join(team.cwd, 'ran'), 'utf8')).toBe('y\n')
  })
})

const done: ScriptedStep = { text: 'Done.' }

interface Team extends AsyncDisposable {
  readonly urls: readonly string[]
  /** Further addresses of the servers, without TLS. */
  readonly plainUrls: readonly string[]
  readonly token: string
  readonly cwd: string
  connect(urls?: readonly string[]): Promise<Parley>
  /** Ends a server by a signal. */
  end(index: number, signal: NodeJS.Signals): Promise<void>
  readonly requests: () => number
  signal(index: number, signal: NodeJS.Signals): void
}

/** Starts two servers that share a store, with one model. */
async function startTeam(nats: NatsServers, ...steps: ScriptedStep[]): Promise<Team> {
  const model = await startModelServer(steps)
  const places: readonly [ProcessPlace, ProcessPlace] = [
    processPlace(model.url, 'untrusted'),
    processPlace(model.url, 'untrusted'),
  ]
  const [{ cwd, root }] = places
  const tokenFile = join(root, 'token')
  const servers: SpawnedServer[] = []
  const urls: string[] = []
  const plainUrls: string[] = []
  const addressOf = (server: SpawnedServer, form: RegExp) =>
    waitUntil(() => form.exec(server.stderr())?.[0], { what: 'the address of a server' })
  for (const place of places) {
    const store = `nats://${nats.addresses.join(',')}`
    const { certFile, keyFile } = loopbackCertificate
    const tls = ['--tls-cert', certFile, '--tls-key', keyFile, '--ca-file', certFile]
    const listen = ['--listen', 'wss://127.0.0.1:0', '--listen', 'ws://127.0.0.1:0']
    const args = ['--store', store, ...listen, ...tls, '--token-file', tokenFile]
    const server = place.spawn(undefined, {}, args)
    servers.push(server)
    urls.push(await addressOf(server, /wss:\/\/\S+/))
    plainUrls.push(await addressOf(server, /ws:\/\/\S+/))
  }
  const token = readFileSync(tokenFile, 'utf8').trim()
  const ca = readFileSync(loopbackCertificate.certFile, 'utf8')
  return {
    urls,
    plainUrls,
    token,
    cwd,
    connect: (wanted = urls) => connect({ urls: wanted, token, ca }),
    requests: () => model.requests.length,
    async end(index, signal) {
      servers[index]?.child.kill(signal)
      await servers[index]?.exited
    },
    signal: (index, signal) => void servers[index]?.child.kill(signal),
    async [Symbol.asyncDispose]() {
      await Promise.all([...places, model].map((each) => each[Symbol.asyncDispose]()))
    },
  }
}

/** Collects the numbers of all events as they are folded. */
function collect(conversation: Conversation): number[] {
  const seqs: number[] = []
  conversation.subscribe((envelope) => {
    if (envelope !== null) seqs.push(envelope.seq)
  })
  return seqs
}

function ended(conversation: Conversation): Promise<unknown> {
  return waitUntil(() => conversation.state.core.lastTurn?.outcome === 'completed', { what: 'the end of the turn' })
}

/** Resolves to the id of the approval that waits. */
function approvalOf(conversation: Conversation): Promise<string> {
  return waitUntil(() => Object.keys(conversation.state.core.approvals)[0], { what: 'a question' })
}
