import type { ClientId, MethodName, ParamsOf, ResultOf } from '@parley/protocol'
import { type CloseReason, RpcError } from '@parley/rpc'
import type { Client, Introduction } from '../connection/client.ts'
import { ClientError, closedHere, codeOf } from '../connection/errors.ts'
import { type CarriedListeners, carryListeners } from './carried-listeners.ts'
import { isRepeatable, withRequestKey } from './repeatable-request.ts'

/** A connection to a server, with the address it was made to. */
export interface ReachedServer {
  readonly client: Client
  readonly address: string
}

/**
 * State of the connection to a server. `lost`: `address` is the lost server, `trying` the next one to try, `isRejected`
 * tells that the lost server no longer accepts the token, and `why` names the failure of the previous attempt. `ended`:
 * no server is left to try.
 */
export type LinkState =
  | { readonly kind: 'up'; readonly address: string; readonly clientId: ClientId }
  | ({ readonly kind: 'lost'; readonly address: string } & ConnectAttempt)
  | { readonly kind: 'ended'; readonly reason: Error }

/** Attempt to connect in place of a server that was lost. */
export interface ConnectAttempt {
  readonly trying: string
  readonly isRejected?: true
  /** Clause on why the last attempt at `trying` failed; absent before one. */
  readonly why?: string
}

interface LastingOptions {
  readonly introduction: Introduction
  readonly first: ReachedServer
  /** Makes the connection after a loss. `tell` is called with each attempt. */
  readonly reach: (lost: string, tell: (attempt: ConnectAttempt) => void, signal: AbortSignal) => Promise<ReachedServer>
  /** Returns true for a rejection without effect, because another server has the conversation by now. */
  readonly isMoved?: (error: unknown) => boolean
}

/** Most times that one request follows a conversation to another server. */
const mostMoves = 5

/** A client over one connection after another, until it is closed or no server is left to try. Requests wait in between. */
export class LastingClient implements Client {
  readonly closed: Promise<CloseReason>
  readonly #options: LastingOptions
  readonly #over = new AbortController()
  readonly #listeners: CarriedListeners = carryListeners()
  readonly #linkListeners = new Set<(link: LinkState) => void>()
  readonly #settleClosed: (reason: CloseReason) => void
  /** Newest connection, which may be lost. */
  #last: ReachedServer
  #current: ReachedServer | null = null
  /** Settled with the connection that is being made. */
  #next = Promise.withResolvers<ReachedServer>()
  #link: LinkState

  constructor(options: LastingOptions) {
    const { promise, resolve } = Promise.withResolvers<CloseReason>()
    this.closed = promise
    this.#settleClosed = resolve
    this.#options = options
    this.#last = options.first
    this.#link = upState(options.first)
    this.#use(options.first)
  }

  get introduction(): Introduction {
    return this.#options.introduction
  }

  get server(): Client['server'] {
    return this.#last.client.server
  }

  get isSafe(): boolean {
    return this.#last.client.isSafe
  }

  get link(): LinkState {
    return this.#link
  }

  /** Returns the reason of the end; null before it, and after it was closed here. */
  get failure(): Error | null {
    const { aborted, reason } = this.#over.signal
    return aborted && codeOf(reason) !== 'closed' ? reason : null
  }

  /** Calls the listener with each state of the link. Returns the function that removes it. */
  readonly onLink = (listener: (link: LinkState) => void): (() => void) => {
    this.#linkListeners.add(listener)
    return () => this.#linkListeners.delete(listener)
  }

  readonly onEvent: Client['onEvent'] = (id, listener) => this.#listeners.onEvent(id, listener)
  readonly onClients: Client['onClients'] = (id, listener) => this.#listeners.onClients(id, listener)
  readonly onAccessEnded: Client['onAccessEnded'] = (id, listener) => this.#listeners.onAccessEnded(id, listener)
  readonly onListChanged: Client['onListChanged'] = (listener) => this.#listeners.onListChanged(listener)
  readonly follows: Client['follows'] = (id) => this.#listeners.follows(id)
  readonly request: Client['request'] = async (method, params) => (await this.ask(method, params)).result
  readonly close = async (): Promise<void> => this.fail(closedHere())

  /** Resolves to the current connection, or to the next one while it is being made. */
  reached(): Promise<ReachedServer> {
    if (this.#over.signal.aborted) return Promise.reject(this.#over.signal.reason)
    return this.#current === null ? this.#next.promise : Promise.resolve(this.#current)
  }

  /** Sends a request as `request` does. Resolves to its result with the connection that gave it. */
  async ask<Name extends MethodName>(
    method: Name,
    given: ParamsOf<Name>,
  ): Promise<ReachedServer & { readonly result: ResultOf<Name> }> {
    const params = withRequestKey(method, given)
    const { isMoved = () => false } = this.#options
    for (let moves = 0; ; moves++) {
      const at = await this.reached()
      try {
        return { ...at, result: await at.client.request(method, params) }
      } catch (error) {
        const isLost = isLoss(error)
        if (this.#over.signal.aborted || !(isLost || (moves < mostMoves && isMoved(error)))) throw error
        this.abandon(at.client)
        if (isLost && !isRepeatable(method, params)) throw outcomeUnknown(error)
      }
    }
  }

  /** Stops using a connection, which is lost or without the conversation, and makes another. */
  abandon(client: Client): void {
    if (this.#current?.client !== client || this.#over.signal.aborted) return
    this.#current = null
    this.#next = Promise.withResolvers()
    // No request may be waiting for it.
    this.#next.promise.catch(() => undefined)
    const { address } = this.#last
    const tell = (attempt: ConnectAttempt) => {
      if (this.#current === null) this.#become({ kind: 'lost', address, ...attempt })
    }
    this.#options.reach(address, tell, this.#over.signal).then(
      (reached) => this.#use(reached),
      (error: unknown) => this.fail(error instanceof Error ? error : new Error(String(error))),
    )
  }

  /** Ends the client with a reason: everything that waits rejects with it. */
  fail(reason: Error): void {
    if (this.#over.signal.aborted) return
    if (codeOf(reason) !== 'closed') this.#become({ kind: 'ended', reason })
    this.#over.abort(reason)
    this.#current = null
    this.#next.promise.catch(() => undefined)
    this.#next.reject(reason)
    this.#listeners.close()
    this.#settleClosed({ code: 'ended', detail: reason.message })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #use(reached: ReachedServer): void {
    if (this.#over.signal.aborted) return
    this.#last = reached
    this.#current = reached
    this.#listeners.moveTo(reached.client)
    this.#next.resolve(reached)
    void reached.client.closed.then(() => this.abandon(reached.client))
    this.#become(upState(reached))
  }

  #become(link: LinkState): void {
    if (this.#over.signal.aborted) return
    this.#link = link
    for (const listener of this.#linkListeners) listener(link)
  }
}

function upState({ client, address }: ReachedServer): LinkState {
  return { kind: 'up', address, clientId: client.server.clientId }
}

/** Returns true for a lost connection. A server that ends in good order answers so before it hangs up. */
function isLoss(error: unknown): boolean {
  return error instanceof RpcError && codeOf(error) === 'connectionClosed'
}

function outcomeUnknown(cause: unknown): ClientError {
  const text = 'The connection was lost while the request was on its way: whether it took effect is unknown.'
  return new ClientError('outcomeUnknown', text, cause)
}
