import type { TestClient } from '@parley/engine/test/support/test-client.ts'
import { type ModelServer, type NatsServers, startNats, waitUntil } from '@parley/testkit'
import { type ProcessPlace, processPlace, type SpawnedServer } from '../e2e/support/spawned-server.ts'
import { startNumberedModel } from './numbered-model.ts'

/** Three servers that share a store of three. */
export interface Team extends AsyncDisposable {
  readonly store: NatsServers
  readonly model: ModelServer
  readonly members: readonly Member[]
}

/** One of the servers, over all of its processes. */
export interface Member {
  readonly place: ProcessPlace
  /** Connections to the process that runs, and the end of them; null while it is dead or out of reach. */
  readonly reach: Reach | null
  start(): Promise<void>
  kill(): Promise<void>
  /** Sends a signal to the process. */
  signal(name: NodeJS.Signals): void
  /** Takes clients away from it, as those do that see that it does not answer; `comeBack` brings them back. */
  leave(): void
  comeBack(): Promise<void>
}

export interface Reach {
  /** One that does things, and one that follows by its cursor. */
  readonly driver: TestClient
  readonly watcher: TestClient
  /** Aborts when clients cannot reach the server any more. */
  readonly ended: AbortSignal
}

export interface TeamOptions {
  readonly store?: NatsServers
  readonly model?: ModelServer
  /** Address of the model for the members. */
  readonly modelUrl?: string
  /** Addresses of the store for the members. */
  readonly addresses?: readonly string[]
  /** Returns what is put before the command of a member. */
  readonly launcherOf?: (member: number) => readonly string[]
}

export async function startTeam(options: TeamOptions = {}): Promise<Team> {
  const store = options.store ?? (await startNats({ servers: 3 }))
  const model = options.model ?? (await startNumberedModel())
  const { modelUrl = model.url, addresses = store.addresses, launcherOf = () => [] } = options
  const args = ['--store', `nats://${addresses.join(',')}`]
  const members = [0, 1, 2].map((member) => {
    const place = processPlace(modelUrl, 'untrusted')
    return createMember(place, () => place.spawnBy(launcherOf(member), args))
  })
  // The first makes the store.
  for (const member of members) await member.start()
  return {
    store,
    model,
    members,
    async [Symbol.asyncDispose]() {
      for (const { place } of members) await place[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      await model[Symbol.asyncDispose]()
    },
  }
}

function createMember(place: ProcessPlace, spawn: () => SpawnedServer): Member {
  let server: SpawnedServer | null = null
  let reach: Reach | null = null
  let ending = new AbortController()

  const leave = () => {
    reach = null
    ending.abort()
  }

  async function comeBack(): Promise<void> {
    if (server === null) return
    const ended = new AbortController()
    const [driver, watcher] = await Promise.all([server.join('driver'), server.join('watcher')])
    ending = ended
    reach = { driver, watcher, ended: ended.signal }
  }

  return {
    place,
    get reach() {
      return reach
    },
    async start() {
      // A store that elects refuses servers that begin.
      await waitUntil(
        async () => {
          const begun = spawn()
          const isUp = await Promise.race([begun.connect().then(() => true), begun.exited.then(() => false)])
          if (isUp) server = begun
          return isUp
        },
        { what: 'a server that can open its store', timeoutMs: 60_000 },
      )
      await comeBack()
    },
    async kill() {
      leave()
      server?.child.kill('SIGKILL')
      await server?.exited
      server = null
    },
    signal: (name) => void server?.child.kill(name),
    leave,
    comeBack,
  }
}
