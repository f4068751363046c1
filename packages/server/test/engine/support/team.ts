import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type Parley } from '@parley/client'
import { connectTestClient, type Greeting, type TestClient } from '@parley/engine/test/support/test-client.ts'
import type { TestPorts } from '@parley/engine/test/support/test-parts.ts'
import { createMemoryTransportPair, type Transport } from '@parley/rpc'
import { openUsers, type ServerUsers } from '@parley/team/people'
import { createConnections } from '../../../src/frontends/conversation/connections.ts'
import { type TestPlace, type TestServer, testPlace } from './test-server.ts'

/** Server with users, and their clients. */
export interface Team extends AsyncDisposable {
  readonly place: TestPlace
  readonly server: TestServer
  readonly users: ServerUsers
  /** Sentences about the users file. */
  readonly said: readonly string[]
  /** Connects as a user by name, or by any token. Rejects where the token is not valid. */
  as(nameOrToken: string, more?: Greeting): Promise<TestClient>
  /** Connects as a user with the client library. */
  libraryOf(user: string): Promise<Parley>
  tokenOf(user: string): string
  /** Connects as whoever runs the server. */
  operator(): Promise<TestClient>
}

/** Starts a server with these users; `admin:` before a name makes that one an admin. */
export async function startTeam(names: readonly string[], ports: TestPorts = {}): Promise<Team> {
  const place = testPlace()
  mkdirSync(join(place.root, '.parley'), { recursive: true })
  const said: string[] = []
  const users = openUsers(join(place.root, '.parley', 'users'), (sentence) => said.push(sentence))
  const tokens = new Map(
    names.map((named) => {
      const [, role, user = ''] = /^(admin:)?(.*)$/.exec(named) ?? []
      return [user, users.add({ user, role: role === undefined ? 'member' : 'admin' }).token]
    }),
  )
  const server = place.start({ users, ...ports })
  const connections = createConnections({ engine: server.engine, onChange: () => undefined })
  users.onChange(() => connections.closeRemoved())

  async function open(nameOrToken: string): Promise<Transport> {
    const rights = await server.engine.rights.ofToken?.(tokens.get(nameOrToken) ?? nameOrToken)
    if (rights == null) throw new Error(`${nameOrToken} is not let in`)
    const [ours, theirs] = createMemoryTransportPair()
    connections.accept(theirs, 'websocket', { rights })
    return ours
  }

  return {
    place,
    server,
    users,
    said,
    as: async (nameOrToken, more) => connectTestClient(await open(nameOrToken), nameOrToken.slice(0, 8), more),
    libraryOf: async (user) => connect({ transport: await open(user) }, { name: user, canApprove: true }),
    tokenOf: (user) => tokens.get(user) ?? '',
    operator: () => server.connect('operator'),
    async [Symbol.asyncDispose]() {
      await connections.close()
      users[Symbol.dispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

/** Writes the users file as a person would with an editor. */
export function writeUsersFile({ users }: Team, text: string): void {
  writeFileSync(users.file, text, { mode: 0o600 })
}
