import type { ServerNotice } from '@parley/protocol'
import { ConnectionClosedError } from '@parley/rpc'
import { type Client, connectClient } from './connection/client.ts'
import { ClientError } from './connection/errors.ts'
import { withinLimit } from './connection/within-limit.ts'
import { Parley } from './parley.ts'
import { type Link, openLink, type Target } from './server/link.ts'

export interface ConnectOptions {
  /** Name that other clients see as the author of messages and decisions. Default: `script`. */
  readonly name?: string
  readonly version?: string
  /** `readOnly`: the server rejects every change with `notPermitted`. Default: `full`. */
  readonly access?: 'full' | 'readOnly'
  /** Aborts the attempt, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Called with trouble that belongs to no conversation, such as a full disk. */
  readonly onNotice?: (notice: ServerNotice) => void
}

/** A server answers within 0.1 s; a checkout that builds itself first needs most of this. */
const startLimit = { limitMs: 120_000, expired: silent }

/** Connects to a server: by default one that is started for this program and ends with the connection. Throws `serverFailed`. */
export async function connect(target: Target = { spawn: {} }, options: ConnectOptions = {}): Promise<Parley> {
  options.signal?.throwIfAborted()
  const link = await openLink(target, options.signal)
  try {
    return new Parley(await withinLimit(greet(link, options), { ...startLimit, signal: options.signal }), link)
  } catch (error) {
    const failure = error instanceof ConnectionClosedError ? await failedStart(link) : error
    await link.discard()
    throw failure
  }
}

function greet({ transport }: Link, options: ConnectOptions): Promise<Client> {
  const { name = 'script', version = '0', access = 'full', onNotice } = options
  return connectClient({
    transport,
    clientInfo: { name, version },
    canApprove: access === 'full',
    access,
    ...(onNotice === undefined ? {} : { onNotice }),
  })
}

async function failedStart(link: Link): Promise<ClientError> {
  const { message } = await link.explain()
  return new ClientError('serverFailed', message)
}

function silent(): ClientError {
  return new ClientError('serverFailed', 'The server did not answer within two minutes.')
}
