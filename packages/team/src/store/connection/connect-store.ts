import { readFileSync } from 'node:fs'
import { checkServerIdentity } from 'node:tls'
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import {
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node'
import { errorMessage } from '@parley/text'
import { leastPayloadBytes } from './layout.ts'
import { isUnreachable } from './store-trouble.ts'
import { fileFault, reasonWords, type TlsPaths } from './tls-trouble.ts'

export interface StoreAddress {
  /** Servers, as `HOST:PORT`, `nats://HOST:PORT` or `tls://HOST:PORT`. */
  readonly servers: readonly string[]
  /** File with the credentials of a user; absent without one. */
  readonly credentialsFile?: string
  /** User and password, which is read at each connection; absent without one. */
  readonly user?: { readonly name: string; password(): string }
  /** Files of TLS; absent where the servers need no files. */
  readonly tls?: TlsPaths
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
  /** True where the store may be usable later with the same options. */
  readonly passes: boolean

  constructor(message: string, { passes = false, ...options }: ErrorOptions & { readonly passes?: boolean } = {}) {
    super(message, options)
    this.passes = passes
  }
}

/** Time limit for the answer to a request, in ms. */
const requestMs = 4000

/** Returns the servers of a store, as people write them. */
export function nameOf({ servers }: Pick<StoreAddress, 'servers'>): string {
  const scheme = servers.some((server) => server.startsWith('tls://')) ? 'tls' : 'nats'
  return `${scheme}://${servers.map((server) => server.replace(/^(nats|tls):\/\//, '')).join(',')}`
}

/** Connects, and reconnects for as long as the process lives. Rejects with `UnusableStoreError`. */
export async function connectStore(address: StoreAddress): Promise<Connected> {
  const name = nameOf(address)
  const fault = fileFault(address.tls ?? {})
  if (fault !== null) throw new UnusableStoreError(fault)
  const connection = await connect(optionsOf(address)).catch(async (failure: unknown) => {
    const cause = await reasonOf(failure, address)
    // Without its cause, which may be a time limit: servers that elect can be reached.
    const passes = isUnreachable(cause)
    throw new UnusableStoreError(`The store ${name} cannot be reached${reasonWords(cause, address.tls)}.`, { passes })
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
    throw new UnusableStoreError(`The servers ${name} have no JetStream, or not yet (${errorMessage(cause)}).`, {
      cause,
      passes: true,
    })
  })
  return { connection, streams: jetstream(connection, { timeout: requestMs }), admin, name }
}

/**
 * Resolves to why a connection failed. A server looks at the certificate of a client when that has connected, so that the
 * library connects again for as long as it may, and says no more than that the time is over: it is told not to.
 */
async function reasonOf(failure: unknown, address: StoreAddress): Promise<unknown> {
  const isSilent = failure instanceof Error && failure.name === 'TimeoutError'
  if (!isSilent || address.tls === undefined) return failure
  try {
    const connection = await connect({ ...optionsOf(address), reconnect: false })
    await connection.close()
    return failure
  } catch (error) {
    return error
  }
}

function optionsOf({ servers, credentialsFile, user, tls }: StoreAddress): NodeConnectionOptions {
  return {
    servers: servers.map((server) => server.replace(/^(nats|tls):\/\//, '')),
    name: 'parley',
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 2000,
    maxPingOut: 2,
    reconnectToServer: longestLeft,
    timeout: requestMs,
    // Each request makes an error for its trace otherwise, a tenth of the work of a takeover.
    noAsyncTraces: true,
    ...(credentialsFile === undefined ? {} : { authenticator: credsAuthenticator(readFileSync(credentialsFile)) }),
    ...(user === undefined ? {} : { authenticator: usernamePasswordAuthenticator(user.name, user.password) }),
    ...(tls === undefined ? {} : { tls: securedBy(tls, servers) }),
  }
}

/** Returns the server that was left or tried the longest time ago: the library begins with the one that was just left. */
function longestLeft<Known extends { readonly lastConnect: number }>(servers: readonly Known[]): Known | null {
  return servers.toSorted((one, other) => one.lastConnect - other.lastConnect)[0] ?? null
}

/**
 * Returns the check of a certificate: it has to be for one of the named servers. For a server named by its IP address
 * the library checks the name `localhost`.
 */
function checkOf(servers: readonly string[]): typeof checkServerIdentity {
  const hosts = servers.map((server) => new URL(`tls://${server.replace(/^(nats|tls):\/\//, '')}`).hostname)
  return (_host, certificate) => {
    const errors = hosts.map((host) => checkServerIdentity(host.replace(/^\[|\]$/g, ''), certificate))
    return errors.includes(undefined) ? undefined : errors[0]
  }
}

function securedBy({ ca, cert, key }: NonNullable<StoreAddress['tls']>, servers: readonly string[]) {
  return {
    checkServerIdentity: checkOf(servers),
    ...(ca === undefined ? {} : { caFile: ca }),
    ...(cert === undefined ? {} : { certFile: cert }),
    ...(key === undefined ? {} : { keyFile: key }),
  }
}
