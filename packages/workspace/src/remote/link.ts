import { setTimeout as delay } from 'node:timers/promises'
import type { ExecMethodName, ExecParamsOf, ExecResultOf } from '@parley/protocol/exec'
import { type CloseReason, ConnectionClosedError, RpcError } from '@parley/rpc'
import { EnvironmentUnreachableError } from '../files/errors.ts'
import type { Dial } from './dial.ts'
import type { ExecConnection, ExecInfo, ExecNotice } from './exec-connection.ts'
import { type Heartbeat, startHeartbeat } from './heartbeat.ts'

export interface LinkOptions {
  /** Of the environment, for sentences. */
  readonly name: string
  readonly dial: Dial
  /** How long a lost link is waited for before what ran there counts as unknown. */
  readonly patienceMs: number
  /** How often a link that something depends on is felt for, 5 s unless told; three times without an answer, it is lost. */
  readonly heartbeatMs?: number
  readonly onChange: (change: LinkChange) => void
}

/** `away`: lost, and being tried again. `back`: everything that ran is still known. `gone`: it is not. */
export type LinkChange =
  | { readonly state: 'away'; readonly reason: string }
  | { readonly state: 'back'; readonly afterMs: number }
  | { readonly state: 'gone'; readonly reason: string; readonly lostProcesses: number }

/** A process over there, as the link tells it what happens. */
export interface WatchedProcess {
  onNotice(notice: ExecNotice): void
  /** A new connection to the same session: what was said meanwhile has to be asked for. */
  onReconnect(): void
  /** Nobody will tell any more what became of it. */
  onLost(why: string): void
}

/** A request that ends the exec-server each time must not be sent for ever. */
const maxAttempts = 3
const defaultBeatMs = 5000
const firstDelayMs = 100
const maxDelayMs = 2000
const dialLimitMs = 10_000

/**
 * The one link to an environment. It is made when it is first needed; when it is lost it is made again, resuming the
 * session, so that processes go on; when that takes too long, or the session is gone, they are lost.
 */
export class Link implements AsyncDisposable {
  readonly #options: LinkOptions
  readonly #processes = new Map<string, WatchedProcess>()
  readonly #closing = new AbortController()
  #connection: ExecConnection | null = null
  /** Set while there is no connection but there will be one, or a refusal. */
  #coming: Promise<ExecConnection> | null = null
  #info: ExecInfo | null = null
  #pulse: Heartbeat | null = null

  constructor(options: LinkOptions) {
    this.#options = options
  }

  /** Of the last connection; null before the first. */
  get info(): ExecInfo | null {
    return this.#info
  }

  /** Waits for a lost link as long as it is waited for. Rejects with `PlaceUnreachable`. */
  connection(): Promise<ExecConnection> {
    if (this.#connection !== null) return Promise.resolve(this.#connection)
    this.#coming ??= this.#settleOn(this.#connect(null))
    return this.#coming
  }

  /** For what may be asked twice: asked again when the link was lost before the answer. */
  async ask<Name extends ExecMethodName>(method: Name, params: ExecParamsOf<Name>): Promise<ExecResultOf<Name>> {
    for (let attempt = 1; ; attempt++) {
      const connection = await this.connection()
      try {
        return await connection.request(method, params)
      } catch (error) {
        if (error instanceof EnvironmentUnreachableError) throw this.#unreachable(error.message)
        if (!(error instanceof ConnectionClosedError)) throw error
        if (attempt === maxAttempts) throw this.#unreachable(`the link broke at each ${method}`)
      }
    }
  }

  /** Before the process is started, so that nothing it says is missed. Returns how to stop. */
  watch(processId: string, process: WatchedProcess): () => void {
    this.#processes.set(processId, process)
    return () => void this.#processes.delete(processId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await this.#connection?.close()
    await this.#coming?.catch(() => undefined)
  }

  async #connect(resumeSessionId: string | null): Promise<ExecConnection> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(dialLimitMs)])
    try {
      // With the schemas of an exec-server, which a server that has no environments need not make.
      const { greetExecServer } = await import('./exec-connection.ts')
      const transport = await this.#options.dial(signal)
      return await greetExecServer({ transport, resumeSessionId, onNotice: (notice) => this.#take(notice) })
    } catch (error) {
      if (error instanceof RpcError) throw error
      throw this.#unreachable(this.#closing.signal.aborted ? 'it is being closed' : reasonOf(error, signal))
    }
  }

  async #settleOn(coming: Promise<ExecConnection>): Promise<ExecConnection> {
    try {
      const connection = await coming
      this.#connection = connection
      this.#info = connection.info
      this.#feel(connection)
      return connection
    } catch (error) {
      throw error instanceof EnvironmentUnreachableError ? error : this.#unreachable(reasonOf(error))
    } finally {
      this.#coming = null
    }
  }

  #feel(connection: ExecConnection): void {
    let silence: string | null = null
    const pulse = startHeartbeat(connection, {
      intervalMs: this.#options.heartbeatMs ?? defaultBeatMs,
      isNeeded: () => this.#processes.size > 0,
      onSilence: (silentMs) => {
        silence = `nothing was heard for ${Math.round(silentMs / 1000)} s`
        void connection.close()
      },
    })
    this.#pulse = pulse
    void connection.closed.then((reason) => {
      pulse.stop()
      this.#lose(connection, silence ?? wordsOf(reason))
    })
  }

  #lose({ sessionId }: ExecConnection, why: string): void {
    this.#connection = null
    if (this.#closing.signal.aborted) return
    this.#options.onChange({ state: 'away', reason: why })
    this.#coming = this.#settleOn(this.#regain(sessionId))
    // Whoever needs it next is told.
    this.#coming.catch(() => undefined)
  }

  async #regain(sessionId: string): Promise<ExecConnection> {
    const sinceMs = performance.now()
    const ageMs = () => performance.now() - sinceMs
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      try {
        const connection = await this.#connect(sessionId)
        this.#back(ageMs())
        return connection
      } catch (error) {
        if (isSessionGone(error)) {
          this.#gone('its exec-server was started anew, or the session there has ended')
          return await this.#connect(null)
        }
        if (this.#closing.signal.aborted) throw error
        const leftMs = this.#options.patienceMs - ageMs()
        if (leftMs <= 0) {
          this.#gone(`it stayed away for ${Math.round(this.#options.patienceMs / 1000)} s`)
          throw error
        }
        await pause(Math.min(delayMs, leftMs), this.#closing.signal)
      }
    }
  }

  #back(afterMs: number): void {
    this.#options.onChange({ state: 'back', afterMs })
    // After the connection is in place, so that they can ask over it.
    setImmediate(() => {
      for (const process of this.#processes.values()) process.onReconnect()
    })
  }

  #gone(reason: string): void {
    const lost = [...this.#processes.values()]
    this.#processes.clear()
    this.#options.onChange({ state: 'gone', reason, lostProcesses: lost.length })
    for (const process of lost) process.onLost(`the link to environment ${this.#options.name} was lost: ${reason}`)
  }

  #take(notice: ExecNotice): void {
    this.#pulse?.heard()
    this.#processes.get(notice.params.processId)?.onNotice(notice)
  }

  #unreachable(why: string): EnvironmentUnreachableError {
    return new EnvironmentUnreachableError(`The environment ${this.#options.name} cannot be reached: ${why}.`)
  }
}

function wordsOf({ code, detail }: CloseReason): string {
  return detail ?? (code === 'ended' ? 'the far side is gone' : 'the connection broke')
}

/** A session that another connection holds (our old one, not yet missed there) is refused in another way. */
function isSessionGone(error: unknown): boolean {
  return error instanceof RpcError && error.data?.code === 'unknownSession'
}

function reasonOf(error: unknown, signal?: AbortSignal): string {
  if (signal?.aborted === true) return `there was no answer within ${dialLimitMs / 1000} s`
  return error instanceof Error ? error.message : String(error)
}

/** Shorter when it is aborted. */
function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return delay(delayMs, undefined, { signal }).catch(() => undefined)
}
