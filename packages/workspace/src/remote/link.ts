import { setTimeout as delay } from 'node:timers/promises'
import type { ExecMethodName, ExecParamsOf, ExecResultOf, Fence, People } from '@parley/protocol/exec'
import { type CloseReason, ConnectionClosedError, RpcError } from '@parley/rpc'
import { errorMessage } from '@parley/text'
import { EnvironmentUnreachableError, isEpochOver } from '../files/errors.ts'
import type { Dial } from './dial.ts'
import { createDroppedProcesses, type DroppedProcesses } from './dropped-processes.ts'
import type { ExecConnection, ExecInfo, ExecNotice } from './exec-connection.ts'
import { type Heartbeat, startHeartbeat } from './heartbeat.ts'

interface LinkOptions {
  /** Name of the environment, for messages. */
  readonly name: string
  readonly dial: Dial
  /** Time to reconnect after a loss before the processes on the remote machine count as lost. */
  readonly patienceMs: number
  /** Interval of heartbeats while a process runs, default 5 s. The link is lost after three without an answer. */
  readonly heartbeatMs?: number
  readonly onChange: (change: LinkChange) => void
  /** Conversation that the link is for, where a store has it; its session then outlives this server. Default null. */
  readonly fence?: Fence | null
  /** Users that it is for, where the machine connects by itself and decides about them. Default null. */
  readonly people?: People | null
  /** Called when the exec-server reports that another server has the conversation. */
  readonly onEpochOver?: () => void
}

/** `away`: lost, reconnecting. `back`: reconnected with all processes. `gone`: the processes are lost. */
export type LinkChange =
  | { readonly state: 'away'; readonly reason: string }
  | { readonly state: 'back'; readonly afterMs: number }
  | { readonly state: 'gone'; readonly reason: string; readonly lostProcesses: number }

/** Process on the remote machine that the link informs of its notifications and of the connection. */
export interface WatchedProcess {
  onNotice(notice: ExecNotice): void
  /** Called after a reconnection to the same session; missed notifications must be read again. */
  onReconnect(): void
  /** Called when the outcome can no longer be learned. */
  onLost(why: string): void
}

/** Limit for repeating a request that breaks the connection each time. */
const maxAttempts = 3
const defaultHeartbeatMs = 5000
const firstDelayMs = 100
const maxDelayMs = 2000
const dialLimitMs = 10_000
/** Time to reach a machine that should still run a command, in ms. */
const reachedWithinMs = 30_000

/**
 * Connection to an environment that survives losses.
 *
 * Connects at the first request. After a loss it reconnects and resumes the session, so that processes continue; they are
 * lost when that takes longer than `patienceMs` or the session no longer exists.
 */
export class ExecLink implements AsyncDisposable {
  readonly #options: LinkOptions
  readonly #processes = new Map<string, WatchedProcess>()
  readonly #closing = new AbortController()
  readonly #dropped = createDroppedProcesses(() => this.#connection)
  #connection: ExecConnection | null = null
  /** Set while connecting. */
  #connecting: Promise<ExecConnection> | null = null
  #info: ExecInfo | null = null
  #heartbeat: Heartbeat | null = null
  #isEpochOver = false

  constructor(options: LinkOptions) {
    this.#options = options
  }

  /** Name of the environment, for messages. */
  get environment(): string {
    return this.#options.name
  }

  /** True where its session outlives this server. */
  get isOfConversation(): boolean {
    return (this.#options.fence ?? null) !== null
  }

  /** True where what runs there goes on when this server ends. */
  get outlivesServer(): boolean {
    return this.isOfConversation && this.#info?.capabilities.fences === true
  }

  /** Facts from the last connection; null before the first. */
  get info(): ExecInfo | null {
    return this.#info
  }

  /** Processes without a follower. */
  get dropped(): Pick<DroppedProcesses, 'add' | 'keepOnly'> {
    return this.#dropped
  }

  /** Connects, or waits for a reconnection. Rejects with `EnvironmentUnreachableError`. */
  connection(): Promise<ExecConnection> {
    if (this.#connection !== null) return Promise.resolve(this.#connection)
    this.#connecting ??= this.#adopt(this.#connect(null))
    return this.#connecting
  }

  /** Connects as after a loss: again and again, for 30 s at most. Rejects with `EnvironmentUnreachableError`. */
  async reached(): Promise<ExecConnection> {
    const sinceMs = performance.now()
    const patienceMs = Math.min(this.#options.patienceMs, reachedWithinMs)
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      try {
        return await this.connection()
      } catch (error) {
        const leftMs = patienceMs - (performance.now() - sinceMs)
        if (this.#closing.signal.aborted || this.#isEpochOver || leftMs <= 0) throw error
        await pause(Math.min(delayMs, leftMs), this.#closing.signal)
      }
    }
  }

  /** Sends a request that may be repeated, and repeats it when the link is lost before the answer. */
  async ask<Name extends ExecMethodName>(method: Name, params: ExecParamsOf<Name>): Promise<ExecResultOf<Name>> {
    for (let attempt = 1; ; attempt++) {
      const connection = await this.connection()
      try {
        const result = await connection.request(method, params)
        this.#heartbeat?.heard()
        return result
      } catch (error) {
        if (error instanceof EnvironmentUnreachableError) throw this.#unreachable(error.message)
        if (!(error instanceof ConnectionClosedError)) throw error
        if (attempt === maxAttempts) throw this.#unreachable(`the link broke at each ${method}`)
        // One that is being closed rejects every request; only once it is closed another is made.
        await connection.closed
      }
    }
  }

  /** Registers a process for notifications, before its start. Returns the function that unregisters it. */
  watch(processId: string, process: WatchedProcess): () => void {
    this.#processes.set(processId, process)
    return () => void this.#processes.delete(processId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await this.#connection?.close()
    await this.#connecting?.catch(() => undefined)
  }

  async #connect(resumeSessionId: string | null): Promise<ExecConnection> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(dialLimitMs)])
    try {
      // Imported on demand: building its schemas costs start time, and most servers have no environments.
      const { openExecConnection } = await import('./exec-connection.ts')
      const { dial, fence = null, people = null } = this.#options
      const onEpochOver = () => {
        this.#isEpochOver = true
        this.#options.onEpochOver?.()
      }
      const transport = await dial(signal)
      const onNotice = (notice: ExecNotice) => this.#onNotice(notice)
      return await openExecConnection({ transport, resumeSessionId, onNotice, fence, people, onEpochOver })
    } catch (error) {
      if (error instanceof RpcError) throw error
      throw this.#unreachable(this.#closing.signal.aborted ? 'it is being closed' : failureText(error, signal))
    }
  }

  async #adopt(connecting: Promise<ExecConnection>): Promise<ExecConnection> {
    try {
      const connection = await connecting
      if (this.#closing.signal.aborted) return await this.#tooLate(connection)
      this.#connection = connection
      this.#info = connection.info
      this.#watchHeartbeat(connection)
      this.#dropped.connected(connection)
      return connection
    } catch (error) {
      throw error instanceof EnvironmentUnreachableError ? error : this.#unreachable(failureText(error))
    } finally {
      this.#connecting = null
    }
  }

  /** Closes a connection that came after the link was closed: otherwise its session would not end. */
  async #tooLate(connection: ExecConnection): Promise<never> {
    await connection.close()
    throw this.#unreachable('it is being closed')
  }

  #watchHeartbeat(connection: ExecConnection): void {
    let silence: string | null = null
    const heartbeat = startHeartbeat(connection, this.#options.heartbeatMs ?? defaultHeartbeatMs, {
      isNeeded: () => this.#processes.size > 0,
      onSilence: (silentMs) => {
        silence = `nothing was heard for ${Math.round(silentMs / 1000)} s`
        void connection.close()
      },
    })
    this.#heartbeat = heartbeat
    void connection.closed.then((reason) => {
      heartbeat.stop()
      this.#reconnect(connection, silence ?? closeText(reason))
    })
  }

  #reconnect({ sessionId }: ExecConnection, why: string): void {
    this.#connection = null
    if (this.#closing.signal.aborted) return
    this.#options.onChange({ state: 'away', reason: why })
    this.#connecting = this.#adopt(this.#resume(sessionId))
    // A failure is reported to the next caller of `connection`.
    this.#connecting.catch(() => undefined)
  }

  async #resume(sessionId: string): Promise<ExecConnection> {
    const sinceMs = performance.now()
    const ageMs = () => performance.now() - sinceMs
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      try {
        const connection = await this.#connect(sessionId)
        this.#reportBack(ageMs())
        return connection
      } catch (error) {
        if (isSessionGone(error)) {
          this.#reportGone('its exec-server was started anew, or the session there has ended')
          return await this.#connect(null)
        }
        if (isEpochOver(error)) this.#reportGone('another server has the conversation now')
        if (this.#closing.signal.aborted || isEpochOver(error)) throw error
        const leftMs = this.#options.patienceMs - ageMs()
        if (leftMs <= 0) {
          this.#reportGone(`it stayed away for ${Math.round(this.#options.patienceMs / 1000)} s`)
          throw error
        }
        await pause(Math.min(delayMs, leftMs), this.#closing.signal)
      }
    }
  }

  #reportBack(afterMs: number): void {
    this.#options.onChange({ state: 'back', afterMs })
    // Deferred until `#adopt` has set the connection that these processes use.
    setImmediate(() => {
      for (const process of this.#processes.values()) process.onReconnect()
    })
  }

  #reportGone(reason: string): void {
    const lost = [...this.#processes.values()]
    this.#processes.clear()
    this.#options.onChange({ state: 'gone', reason, lostProcesses: lost.length })
    for (const process of lost) process.onLost(`the link to environment ${this.#options.name} was lost: ${reason}`)
  }

  #onNotice(notice: ExecNotice): void {
    this.#heartbeat?.heard()
    this.#processes.get(notice.params.processId)?.onNotice(notice)
  }

  #unreachable(why: string): EnvironmentUnreachableError {
    return new EnvironmentUnreachableError(`The environment ${this.#options.name} cannot be reached: ${why}.`)
  }
}

function closeText({ code, detail }: CloseReason): string {
  return detail ?? (code === 'ended' ? 'its exec-server closed the connection' : 'the connection broke')
}

/** Returns true when the session has ended. A session still held by the old connection is rejected with another code. */
function isSessionGone(error: unknown): boolean {
  return error instanceof RpcError && error.data?.code === 'unknownSession'
}

function failureText(error: unknown, signal?: AbortSignal): string {
  if (signal?.aborted === true) return `there was no answer within ${dialLimitMs / 1000} s`
  return errorMessage(error)
}

/** Resolves after the delay, or at once on abort. */
function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return delay(delayMs, undefined, { signal }).catch(() => undefined)
}
