import { readlinkSync } from 'node:fs'
import { userInfo } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { codeOf, type Parley } from '@parley/client'
import { showEffects } from '@parley/presentation/text/control-characters'
import { connect } from '../cli/connect.ts'
import { ParleyError } from '../cli/exit-codes.ts'
import type { Launch } from '../cli/launch-server.ts'
import type { LossReason } from '../ui/link/link.ts'
import type { ShownNotice } from './rejected-intent.ts'

/** A connection that is over. `text` says to the user why it is not made again. */
export interface Loss {
  readonly reason?: LossReason
  readonly text?: string
}

interface ConnectionListener {
  readonly onConnected: (parley: Parley) => void
  readonly onLost: (loss: Loss) => void
  readonly onNotice: (notice: ShownNotice) => void
}

const stillSaving = 'Waiting for the server to stop what runs and to save …'
/** Time before a server that has not ended yet is mentioned. */
const patienceMs = 2_000
/** Time for a killed server to end. */
const killLimitMs = 1_000

/** Connection of the window, with connections that are being made or closed. */
export class ServerConnection {
  readonly #listener: ConnectionListener
  readonly #closing = new AbortController()
  /** Connections being made or closed, which the program waits for at its end. */
  readonly #pending = new Set<Promise<unknown>>()
  #parley: Parley | null = null
  #isUnsaved = false
  /** Connection to the server that this window started last. */
  #own: Parley | null = null

  constructor(listener: ConnectionListener) {
    this.#listener = listener
  }

  /** Returns the connection; null before the first one and after a loss. */
  get parley(): Parley | null {
    return this.#parley
  }

  /** True if a server that was left could not save all it had accepted. */
  get isUnsaved(): boolean {
    return this.#isUnsaved
  }

  /** Connects to a server of this program. */
  async connect(launch: Launch): Promise<Parley> {
    const connecting = connect(launch, {
      signal: this.#closing.signal,
      canApprove: true,
      canRaiseLimits: true,
      clientName: 'parley',
      clientTitle: windowTitle(),
      onNotice: (notice) => this.#report(notice),
    })
    this.#awaitAtEnd(connecting)
    this.#own = await connecting
    return this.#use(this.#own)
  }

  /** Uses another connection from now on and closes the one before; its server may end. */
  moveTo(parley: Parley): void {
    const before = this.#parley
    if (before === parley) return
    this.#use(parley)
    this.#leave(before)
  }

  /** Gives the connection up. It may still be alive, if the loss concerned a connection to another process. */
  lose(loss: Loss = {}): void {
    this.#leave(this.#parley)
    this.#parley = null
    if (!this.#closing.signal.aborted) this.#listener.onLost(loss)
  }

  /** Gives a connection up, once: what waits on it may learn of the same loss later. */
  loseFrom(parley: Parley, loss: Loss): void {
    if (this.#parley === parley) this.lose(loss)
  }

  /** Gives the connection up to make another. A server of this window is killed first: one that hangs keeps its conversations. */
  async abandon(): Promise<void> {
    const before = this.#parley
    this.#parley = null
    if (before === null) return
    if (before === this.#own && before.serverPid !== null) killGroup(before.serverPid)
    this.#leave(before)
    await Promise.race([before.closed, delay(killLimitMs, undefined, { ref: false })])
  }

  /** Closes every connection. Waits for the server's end, unless a conversation was detached in it. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the window was closed'))
    const waiting = setTimeout(() => this.#report({ message: stillSaving, level: 'info' }), patienceMs)
    await this.#parley?.close()
    await Promise.allSettled(this.#pending)
    clearTimeout(waiting)
  }

  /** Passes a notice on; writes it to stderr once the window is being closed. */
  #report(notice: ShownNotice): void {
    if (this.#closing.signal.aborted && notice.code === 'storageFailed') this.#isUnsaved = true
    if (this.#closing.signal.aborted) process.stderr.write(`parley: ${showEffects(notice.message)}\n`)
    else this.#listener.onNotice(notice)
  }

  #leave(parley: Parley | null): void {
    if (parley !== null) this.#awaitAtEnd(parley.close())
  }

  #awaitAtEnd(work: Promise<unknown>): void {
    const done = work.then(
      () => undefined,
      () => undefined,
    )
    this.#pending.add(done)
    void done.then(() => this.#pending.delete(done))
  }

  #use(parley: Parley): Parley {
    this.#parley = parley
    void parley.closed.then((reason) => this.loseFrom(parley, lossOf(reason)))
    this.#listener.onConnected(parley)
    return parley
  }
}

export function lossOf(error: unknown): Loss {
  const code = error instanceof ParleyError ? error.code : codeOf(error)
  return code === 'accessEnded' && error instanceof Error ? { reason: 'rejected', text: error.message } : {}
}

/** Kills a server with its own child processes; the guard of its commands ends the commands. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/** Returns the name others see: the user with the terminal, since one user may have several windows. */
function windowTitle(): string {
  return `${userName()} (${terminalName()})`
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // The system has no name for the account.
    return 'parley'
  }
}

function terminalName(): string {
  try {
    return readlinkSync('/proc/self/fd/0').replace(/^\/dev\//, '')
  } catch {
    return `process ${process.pid}`
  }
}
