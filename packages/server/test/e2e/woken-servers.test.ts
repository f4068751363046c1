import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasNats, type NatsServers, startModelServer, startNats, waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boxSection } from '../environments/support/config-for.ts'
import { type FarMachine, startFarMachine } from '../environments/support/far-machine.ts'
import { type Failpoint, failpoints } from '../fixtures/failpoints.ts'
import { type ProcessPlace, processPlace } from './support/spawned-server.ts'

interface Effect {
  readonly call: { readonly name: string; readonly arguments: Record<string, unknown> }
  readonly pausedAt: Failpoint
  /** Environment in which it works; default this machine. */
  readonly environment?: 'box'
  /** Tells if it happened. */
  readonly happened: (surroundings: Surroundings) => boolean
}

interface Surroundings {
  readonly place: ProcessPlace
  readonly far: FarMachine
  readonly requests: number
}

const command = { name: 'shell', arguments: { command: 'echo x >> ran' } }
const patch = { name: 'apply_patch', arguments: { patch: '*** Begin Patch\n*** Add File: patched\n+x\n*** End Patch' } }
const started = failpoints.pausedOnceStartIsAcknowledged

const effects: Readonly<Record<string, Effect>> = {
  'a command': { call: command, pausedAt: started, happened: ({ place }) => existsSync(join(place.cwd, 'ran')) },
  'a command in an environment': {
    ...{ call: command, pausedAt: started, environment: 'box' },
    happened: ({ far }) => existsSync(join(far.work, 'ran')),
  },
  'a patch in an environment': {
    ...{ call: patch, pausedAt: started, environment: 'box' },
    happened: ({ far }) => existsSync(join(far.work, 'patched')),
  },
  'a call of an MCP server': {
    call: { name: 'mcp__ugly__echo', arguments: { a: 1 } },
    pausedAt: started,
    happened: ({ place }) => readFileSync(join(place.root, 'diary'), 'utf8').includes('tools/call'),
  },
  'a request to the model': {
    call: command,
    pausedAt: failpoints.pausedAtModelCall,
    // The one that took the conversation goes on with the turn, and asks the model itself.
    happened: ({ requests }) => requests > 1,
  },
}

/** One for each place that refuses; in long runs all. */
const chosen = ['a command', 'a command in an environment', 'a request to the model']
const tested = Object.entries(effects).filter(([what]) => isLong || chosen.includes(what))

const mcpServer = join(import.meta.dirname, '../tools/mcp/support/ugly-server.mjs')

describe.skipIf(!hasNats)('a server that wakes after another has taken its conversation', { timeout: 90_000 }, () => {
  let nats: NatsServers
  let far: FarMachine
  beforeAll(async () => {
    nats = await startNats()
    far = await startFarMachine()
  })
  afterAll(async () => {
    await nats[Symbol.asyncDispose]()
    await far[Symbol.asyncDispose]()
  })

  it.concurrent.each(tested)('does not begin what it had recorded: %s', async (_, effect) => {
    const { call, pausedAt, environment, happened } = effect
    await using model = await startModelServer([{ calls: [call] }, { text: 'Done.' }])
    await using one = placeOf(model.url, far)
    await using other = placeOf(model.url, far)
    const store = ['--store', `nats://${nats.addresses.join(',')}`]
    const paused = one.spawn(pausedAt, {}, store)
    const client = await paused.connect()
    const where = environment === undefined ? { cwd: one.cwd } : { cwd: far.work, environment }
    const { conversationId } = await client.request('conversation/create', where)
    const watched = await client.watch(conversationId)
    void watched.send('go').catch(() => undefined)
    if (pausedAt === started) void watched.decide('approved').catch(() => undefined)
    await waitUntil(() => isPaused(paused.pid), { what: 'the pause', timeoutMs: 30_000 })

    const taker = await other.spawn(undefined, {}, store).connect()
    await taker.request('conversation/resume', { conversationId })
    paused.child.kill('SIGCONT')
    await client.notice(
      ({ code, message }) => code === 'storageFailed' && message.includes('taken this conversation over'),
    )
    const refused = await client.refused('conversation/resume', { conversationId })
    expect(refused.code).toBe('liveElsewhere')
    expect(happened({ place: one, far, requests: model.requests.length })).toBe(false)
  })
})

function placeOf(modelUrl: string, far: FarMachine): ProcessPlace {
  const place = processPlace(modelUrl, 'untrusted')
  const diary = join(place.root, 'diary')
  const mcp = `[mcp_servers.ugly]\ncommand = "${process.execPath}"\nargs = ["${mcpServer}", "plain", "${diary}"]\n`
  place.write('../.parley/config.toml', `${place.read('../.parley/config.toml')}${boxSection(far)}${mcp}`)
  return place
}

/** Tells if a process is stopped by a signal. */
function isPaused(pid: number): boolean {
  return /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}
