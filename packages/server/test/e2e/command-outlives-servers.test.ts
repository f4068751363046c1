import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Watched } from '@parley/engine/test/support/test-client.ts'
import { freePorts, hasNats, startModelServer, startNats, tempDirectory, waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, it } from 'vitest'
import { boxSection, connectedSection } from '../environments/support/config-for.ts'
import { type FarMachine, startFarMachine } from '../environments/support/far-machine.ts'
import { type ProcessPlace, processPlace, type SpawnedServer } from './support/spawned-server.ts'

/** Prints its numbered lines, and goes on behind each thousandth once a file says so. Leaves a line in `ran`. */
const script = `echo started >> ran
n=0
while [ $n -lt 3000 ]; do
  n=$((n+1)); echo "line $n of the build"
  if [ $((n % 1000)) -eq 0 ]; then until [ -e go-$n ]; do sleep 0.05; done; fi
done
exit 3`

/** Prints a line, and ends once a file says so. Leaves a line in `ran`. */
const waiting = (exitCode: number) =>
  `echo waiting >> ran; echo up; until [ -e go-3000 ]; do sleep 0.05; done; echo over; exit ${exitCode}`

/** Ways between servers and the machine, by who connects. */
const ways = ['its servers connect to', 'that connects to its servers'] as const

describe.skipIf(!hasNats)('a command in an environment', { timeout: 90_000 }, () => {
  // Tests of `environments` prove both ways; what is followed here lies above them.
  it.each(isLong ? ways : ways.slice(0, 1))(
    '%s survives the death of two servers, with its output whole and in order, and is started once: also in the background, and of the user',
    async (way) => {
      await using nats = await startNats({ servers: isLong ? 3 : 1 })
      await using team = await startTeam(way)
      const { far, listen } = team
      await using model = await startModelServer([
        { calls: [{ name: 'shell', arguments: { command: waiting(4), background: true } }] },
        { calls: [{ name: 'shell', arguments: { command: 'sh build.sh' } }] },
        { text: 'Done.' },
      ])
      far.write('build.sh', script)
      await using first = placeWith(model.url, team.section)
      await using second = placeWith(model.url, team.section)
      await using third = placeWith(model.url, team.section)
      const store = ['--store', `nats://${nats.addresses.join(',')}`]
      const start = (place: ProcessPlace, index: number) => place.spawn(undefined, {}, [...store, ...listen(index)])

      const owner = start(first, 0)
      const client = await owner.join()
      const { conversationId } = await client.request('conversation/create', { cwd: far.work, environment: 'box' })
      const watched = await client.watch(conversationId)
      await watched.send('go')
      await watched.decide('approved')
      const background = await watched.until(({ core }) => Object.keys(core.background ?? {})[0])
      await watched.decide('approved')
      await sees(watched, 1000)
      await client.request('conversation/runShell', { conversationId, command: waiting(5) })
      await watched.until(({ core }) => Object.values(core.open).some(({ output }) => output === 'up\n'))
      await kill(owner)
      far.write('go-1000', '')

      const next = await follow(start(second, 1), conversationId)
      await sees(next.watched, 2000)
      await kill(next.server)
      far.write('go-2000', '')

      const last = await follow(start(third, 2), conversationId)
      await sees(last.watched, 3000)
      far.write('go-3000', '')
      await last.watched.turnEnded()

      await last.watched.until(({ core }) => core.background === undefined && Object.keys(core.open).length === 0)
      const items = last.watched.items()
      const own = items.find(({ type }) => type === 'shellCommand')
      expect(own).toMatchObject({ exitCode: 5, output: { head: 'up\nover\n' } })
      const ends = items.flatMap((notice) => (notice.type === 'notice' ? (notice.ended ?? []) : []))
      expect(ends).toEqual([expect.objectContaining({ itemId: background, exitCode: 4 })])

      const item = items.find(({ type, id }) => type === 'commandExecution' && id !== background)
      const printed = Array.from({ length: 3000 }, (_, line) => `line ${line + 1} of the build\n`).join('')
      expect(item).toMatchObject({ status: 'failed', exitCode: 3, output: { totalBytes: printed.length } })
      expect(wholeOutput(third, conversationId, item)).toBe(printed)
      expect(shownOutput(last.watched)).toBe(printed.slice(0, 64 * 1024))
      expect(far.read('ran').split('\n').toSorted()).toEqual(['', 'started', 'waiting', 'waiting'])
      expect(last.watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    },
  )
})

interface Team extends AsyncDisposable {
  readonly far: FarMachine
  /** Environment `box` of the servers. */
  readonly section: string
  /** Returns the words by which a server listens. */
  listen(index: number): readonly string[]
}

/** Starts the machine, with a way between it and three servers that are started later. */
async function startTeam(way: (typeof ways)[number]): Promise<Team> {
  if (way === 'its servers connect to') {
    const far = await startFarMachine()
    return { far, section: boxSection(far), listen: () => [], [Symbol.asyncDispose]: () => far[Symbol.asyncDispose]() }
  }
  const folder = await tempDirectory()
  const tokenFile = join(folder.path, 'token')
  writeFileSync(tokenFile, 'a token of the team\n', { mode: 0o600 })
  const addresses = (await freePorts(3)).map((port) => `ws://127.0.0.1:${port}`)
  const far = await startFarMachine({ connect: { servers: addresses, tokenFile } })
  return {
    far,
    section: connectedSection(far),
    listen: (index) => ['--listen', addresses[index] ?? '', '--token-file', tokenFile],
    async [Symbol.asyncDispose]() {
      await far[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function placeWith(modelUrl: string, section: string): ProcessPlace {
  const place = processPlace(modelUrl, 'untrusted')
  writeFileSync(
    join(place.root, '.parley/config.toml'),
    `${readFileSync(join(place.root, '.parley/config.toml'), 'utf8')}${section}`,
  )
  return place
}

/** Resumes a conversation on a server, and watches it from its beginning. */
async function follow(server: SpawnedServer, conversationId: string) {
  const client = await server.join()
  await client.request('conversation/resume', { conversationId })
  return { server, watched: await client.watch(conversationId, { seq: 0, crc: null }) }
}

async function kill({ child, exited }: SpawnedServer): Promise<void> {
  child.kill('SIGKILL')
  await exited
}

/** Waits until a line of the output, and all before it, have been shown. */
async function sees(watched: Watched, line: number): Promise<void> {
  const text = `line ${line} of the build\n`
  await waitUntil(
    () =>
      shownOutput(watched).endsWith(text) ||
      Object.values(watched.state.core.open).some(({ progress }) => progress?.tail.endsWith(text)),
    { what: text, timeoutMs: 30_000 },
  )
}

/** Output as the deltas of all servers have shown it. */
function shownOutput({ events }: Watched): string {
  return events
    .flatMap(({ event }) => (event.type === 'item.delta' && event.itemId === itemIn(events) ? [event.text] : []))
    .join('')
}

function itemIn(events: Watched['events']): string {
  return events.flatMap(({ event }) => (event.type === 'execution.started' ? [event.itemId] : []))[1] ?? ''
}

function wholeOutput(
  place: ProcessPlace,
  conversationId: string,
  item: ReturnType<Watched['items']>[number] | undefined,
): string {
  const file = item !== undefined && 'output' in item ? item.output?.file : undefined
  return readFileSync(join(place.path(conversationId, 'sideFiles'), (file ?? '').replace(':', '-')), 'utf8')
}
