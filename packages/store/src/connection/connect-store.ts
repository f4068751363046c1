import { readFileSync } from 'node:fs'
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, credsAuthenticator, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import { leastPayloadBytes } from './layout.ts'

/** Way to a store. */
export interface StoreAddress {
  /** Servers, as `HOST:PORT` or `nats://HOST:PORT`. */
  readonly servers: readonly string[]
  /** File with the credentials of a user; absent for none. */
  readonly credentialsFile?: string
  /** Files of TLS; absent where the servers ask for none. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}

/** Open connection to a store. */
export interface Connected {
  readonly connection: NatsConnection
  readonly streams: JetStreamClient
  readonly admin: JetStreamManager
  /** Servers, as people write them. */
  readonly name: string
}

/** Error of a store that cannot be used; the message is one sentence for people. */
export class UnusableStoreError extends Error {
  override readonly name = 'UnusableStoreError'
}

/** Time in which a request to the store is answered, in ms. */
const requestMs = 4000

/** Connects, and reconnects for as long as the process lives. Rejects with `UnusableStoreError`. */
export async function connectStore(address: StoreAddress): Promise<Connected> {
  const name = `nats://${address.servers.map((server) => server.replace(/^(nats|tls):\/\//, '')).join(',')}`
  const connection = await connect(optionsOf(address)).catch((cause: unknown) => {
    throw new UnusableStoreError(`The store ${name} cannot be reached (${textOf(cause)}).`, { cause })
  })
  const limit = connection.info?.max_payload ?? 0
  if (limit < leastPayloadBytes) {
    await connection.close()
    throw new UnusableStoreError(
      `The store ${name} takes messages of ${limit} bytes at most, and ${leastPayloadBytes} are needed: raise max_payload.`,
    )
  }
  const admin = await jetstreamManager(connection, { timeout: requestMs }).catch(async (cause: unknown) => {
    await connection.close()
    throw new UnusableStoreError(`The servers ${name} have no JetStream (${textOf(cause)}).`, { cause })
  })
  return { connection, streams: jetstream(connection, { timeout: requestMs }), admin, name }
}

function optionsOf({ servers, credentialsFile, tls }: StoreAddress): NodeConnectionOptions {
  return {
    servers: servers.map((server) => server.replace(/^(nats|tls):\/\//, '')),
    name: 'parley',
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 2000,
    maxPingOut: 2,
    timeout: requestMs,
    ...(credentialsFile === undefined ? {} : { authenticator: credsAuthenticator(readFileSync(credentialsFile)) }),
    ...(tls === undefined ? {} : { tls: filesOf(tls) }),
  }
}

function filesOf({ ca, cert, key }: NonNullable<StoreAddress['tls']>) {
  return {
    ...(ca === undefined ? {} : { caFile: ca }),
    ...(cert === undefined ? {} : { certFile: cert }),
    ...(key === undefined ? {} : { keyFile: key }),
  }
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
