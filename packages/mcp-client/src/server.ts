import { homedir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { type Exchanged, findAndWatchRepositories } from '@parley/host'
import type { McpServer as McpServerState } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import type { ListProblem, McpConnection, ServerTool, ToolList } from './connection.ts'
import { type McpPorts, type OpenedServer, openServer } from './open-server.ts'
import { openServerLogFile, type ServerLogFile } from './server-log-file.ts'
import type { McpSettings } from './settings.ts'
import type { ProgramPlace } from './start-program.ts'

/** Time of working after which earlier breakdowns no longer count. */
const provenMs = 60_000

/**
 * MCP server with its state. Starts when it is first needed and restarts a few times after breakdowns; a server that
 * never worked restarts only on request.
 */
export class McpServer implements AsyncDisposable {
  readonly settings: McpSettings
  readonly #ports: McpPorts
  /** Place of its program; null for this machine. */
  readonly #place: ProgramPlace | null
  readonly #log: ServerLogFile
  readonly #listeners = new Set<() => void>()
  #state: McpServerState['state'] = 'stopped'
  #opened: OpenedServer | null = null
  #list: ToolList = { tools: [], problems: [] }
  #error: string | null = null
  #restarts = 0
  /** Number of breakdowns since the last long run. */
  #breakdowns = 0
  #readySinceMs = 0
  /** Controller of the current start; aborts when the server is stopped. */
  #attempt = new AbortController()
  #settled: Promise<void> = Promise.resolve()
  /** True after disposal, which prevents further starts. */
  #isDisposed = false

  constructor(settings: McpSettings, ports: McpPorts, place: ProgramPlace | null) {
    this.settings = settings
    this.#ports = ports
    this.#place = place
    this.#log = openServerLogFile(ports.home, settings.name, ports.redaction)
    if (!settings.enabled) this.#error = 'It is switched off (enabled = false).'
  }

  /** Masks secrets in progress texts, which are shown before they are stored. */
  get redact(): (text: string) => string {
    return this.#ports.redaction.text
  }

  /** Begins to watch for repositories that its program makes in a sandbox of this machine. */
  watchMade(): Promise<() => readonly Exchanged[]> {
    const { launch } = this.settings
    const policy = launch.kind === 'stdio' && this.#place === null ? launch.sandboxPolicy : undefined
    return policy?.mode === 'workspace-write'
      ? findAndWatchRepositories([policy.root], { home: homedir(), env: this.#ports.env })
      : Promise.resolve(() => [])
  }

  get name(): string {
    return this.settings.name
  }

  /** Tools of the server. They stay during a restart, so that the model's cached prompt stays valid. */
  get tools(): readonly ServerTool[] {
    return this.#isKnown ? this.#list.tools : []
  }

  /** Faults of the tools that are left out. */
  get listProblems(): readonly ListProblem[] {
    return this.#isKnown ? this.#list.problems : []
  }

  get #isKnown(): boolean {
    return this.#state === 'ready' || this.#state === 'starting'
  }

  get hasResources(): boolean {
    return this.#opened?.connection.hasResources ?? false
  }

  get failure(): string | null {
    return this.#state === 'failed' ? this.#error : null
  }

  get stderr(): string {
    return this.#log.tail()
  }

  get logPath(): string {
    return this.#log.path
  }

  /** Resolves when the server is ready or has failed; at once when no start is under way. */
  get settled(): Promise<void> {
    return this.#settled
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  describe(): McpServerState {
    return {
      name: this.name,
      state: this.#state,
      tools: this.tools.map(({ name }) => name),
      ...(this.#error === null ? {} : { error: this.#error }),
      ...(this.stderr === '' ? {} : { stderr: this.stderr }),
      restarts: this.#restarts,
    }
  }

  /** Starts an enabled, stopped server in the background. */
  begin(): void {
    if (this.#state === 'stopped' && this.settings.enabled && !this.#isDisposed) this.#start()
  }

  /** Waits for a start under way, then returns the connection or the reason why it is missing. */
  async connection(signal: AbortSignal): Promise<McpConnection | string> {
    this.begin()
    await Promise.race([this.#settled, aborted(signal)])
    return this.#opened?.connection ?? this.#error ?? 'it is not ready'
  }

  async restart(): Promise<void> {
    await this.#stop()
    // During the stop the server may have been disposed or started again for another conversation.
    if (this.#isDisposed || this.#state !== 'stopped') return
    this.#breakdowns = 0
    this.#restarts += 1
    this.#start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    this.#listeners.clear()
    await this.#stop()
  }

  #start(): void {
    this.#attempt = new AbortController()
    this.#log.clear()
    this.#settled = this.#open(this.#attempt.signal)
    this.#become('starting', null)
  }

  async #open(signal: AbortSignal): Promise<void> {
    try {
      const opened = await openServer(this.settings, this.#ports, {
        signal,
        place: this.#place,
        log: this.#log,
        onTools: (list) => this.#take(list),
        onLost: (why, hasWorked) => signal.aborted || this.#breakDown(why, hasWorked),
      })
      if (signal.aborted) return await opened.close()
      this.#opened = opened
      this.#readySinceMs = performance.now()
      this.#list = opened.list
      this.#become('ready', null)
    } catch (error) {
      if (signal.aborted) return
      const why = errorMessage(error)
      if (this.#breakdowns > 0) this.#breakDown(why, false)
      else this.#become('failed', why)
    }
  }

  #take(list: ToolList): void {
    this.#list = list
    this.#changed()
  }

  /** Starts anew after a delay. A lost session that had worked does not count as a breakdown. */
  #breakDown(why: string, hasWorked: boolean): void {
    const isProven = hasWorked || performance.now() - this.#readySinceMs > provenMs
    if (this.#opened !== null && isProven) this.#breakdowns = 0
    this.#opened = null
    const { restartDelaysMs } = this.#ports.patience
    const delayMs = restartDelaysMs[this.#breakdowns]
    this.#breakdowns += 1
    if (delayMs === undefined) {
      this.#become('failed', `${why}, after ${restartDelaysMs.length} restarts`)
      return
    }
    this.#settled = this.#startAfter(delayMs, this.#attempt.signal)
    this.#become('starting', why)
  }

  async #startAfter(delayMs: number, signal: AbortSignal): Promise<void> {
    await delay(delayMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    this.#restarts += 1
    this.#start()
    await this.#settled
  }

  async #stop(): Promise<void> {
    this.#attempt.abort()
    const opened = this.#opened
    this.#opened = null
    this.#become('stopped', null)
    await Promise.all([this.#settled, opened?.close()])
  }

  #become(state: McpServerState['state'], error: string | null): void {
    this.#state = state
    this.#error = error
    this.#changed()
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
