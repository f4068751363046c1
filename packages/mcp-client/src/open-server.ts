import { setTimeout as delay } from 'node:timers/promises'
import { commandEnv, type Host, noSandbox, type ProcessExit, type Sandboxes, type StreamedProcess } from '@parley/host'
import type { Redaction } from '@parley/redaction'
import type { SecretPaths } from '@parley/workspace'
import { confine } from './confine.ts'
import type { McpConnection, ServerTool } from './connection-port.ts'
import type { ServerLogFile } from './server-log-file.ts'
import { isOffered, type McpLaunch, type McpSettings } from './settings.ts'

/** How long is waited for servers. */
export interface McpPatience {
  /** At most, before the first model request of a conversation, where a person waits with it. */
  readonly firstRequestMs: number
  /** Before each further start of one that broke down; after the last it has failed. */
  readonly restartDelaysMs: readonly number[]
}

export const usualPatience: McpPatience = { firstRequestMs: 5000, restartDelaysMs: [500, 2000, 5000] }

export interface McpPorts {
  readonly host: Pick<Host, 'spawnStreams'>
  /** Of this machine, for servers that a project configures. */
  readonly sandboxes: Sandboxes
  /** What such a server must not read. */
  readonly secrets: () => Promise<SecretPaths>
  readonly env: Readonly<Record<string, string | undefined>>
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly version: string
  readonly patience: McpPatience
  readonly redaction: Redaction
}

/** A server that has answered, and how to end it. */
export interface OpenedServer {
  readonly connection: McpConnection
  readonly tools: readonly ServerTool[]
  close(): Promise<void>
}

export interface OpenWatch {
  /** Nobody waits for it any more. */
  readonly signal: AbortSignal
  readonly log: ServerLogFile
  onTools(tools: readonly ServerTool[]): void
  /** It broke down after it had answered; all of it is gone. */
  onLost(why: string): void
}

/** From closing its input to TERM. */
const graceMs = 200
/** From the end of its output to its exit, of one that ends by itself. */
const exitMs = 250

/** Starts a server, or connects to it, and asks what it has. Rejects with what went wrong, and then nothing of it is left. */
export async function openServer(settings: McpSettings, ports: McpPorts, watch: OpenWatch): Promise<OpenedServer> {
  const { launch, startupTimeoutMs: timeoutMs } = settings
  const { signal, log } = watch
  const [{ connect }, { explainFailure }] = await Promise.all([import('./connect.ts'), import('./explain-failure.ts')])
  const program = launch.kind === 'stdio' ? await startProgram(launch, ports, watch) : null
  const endProgram = async () => void (await program?.stop(graceMs))
  let connection: McpConnection | null = null
  const readTools = async (from: Pick<McpConnection, 'tools'>) =>
    (await from.tools()).filter(({ name }) => isOffered(settings, name))
  const refresh = oneAtATime(async () => {
    if (connection === null || signal.aborted) return
    await readTools(connection).then(watch.onTools, (error: unknown) =>
      log.remark(`tools/list: ${explainFailure(error)}`),
    )
  })
  let lost: Promise<string> | null = null
  const lose = (why = 'the connection was lost') => {
    if (connection === null) return
    connection = null
    lost = endOf(program).then(async (end) => {
      await endProgram()
      return end ?? (program === null ? why : 'it closed its output')
    })
    void lost.then(watch.onLost)
  }
  try {
    const opened = await connect({
      wire: program === null ? endpointOf(launch, ports.env) : { program },
      version: ports.version,
      timeoutMs,
      signal,
      onClose: lose,
      onToolsChanged: refresh,
      onRemark: log.remark,
    })
    const tools = await readTools(opened)
    signal.throwIfAborted()
    connection = { ...opened, lost: () => lost }
    const close = async () => {
      connection = null
      await opened.close().catch(() => undefined)
      await endProgram()
    }
    return { connection, tools, close }
  } catch (error) {
    // That it has ended says more than that the connection has.
    const end = signal.aborted ? null : await endOf(program)
    await endProgram()
    throw new Error(end ?? explainFailure(error), { cause: error })
  }
}

async function startProgram(
  launch: LaunchOf<'stdio'>,
  ports: McpPorts,
  { signal, log }: OpenWatch,
): Promise<StreamedProcess> {
  const { argv, cwd, env, confinement } = launch
  const sandbox = confinement === undefined ? noSandbox : await confine(confinement, ports)
  if (signal.aborted) {
    sandbox.release?.()
    throw new Error('it is no longer wanted')
  }
  const program = ports.host.spawnStreams({
    argv,
    cwd,
    env: { ...commandEnv(ports.env), ...env },
    sandbox,
  })
  if (program.stderr !== null) log.follow(program.stderr)
  return program
}

type LaunchOf<Kind extends McpLaunch['kind']> = Extract<McpLaunch, { kind: Kind }>

function endpointOf(launch: McpLaunch, env: McpPorts['env']): { url: string; headers: Record<string, string> } {
  if (launch.kind !== 'http') throw new Error(launch.kind === 'none' ? launch.problem : 'it has no url')
  const { url, headers, tokenVariable } = launch
  if (tokenVariable === null) return { url, headers: { ...headers } }
  const token = env[tokenVariable] ?? ''
  if (token === '') throw new Error(`the variable ${tokenVariable} (bearer_token_env_var) is not set`)
  return { url, headers: { ...headers, Authorization: `Bearer ${token}` } }
}

/** A call while one is under way makes for one more after it, however many there are: a server may call for it without end. */
function oneAtATime(run: () => Promise<void>): () => void {
  let isRunning = false
  let isWanted = false
  return () => {
    isWanted = true
    if (isRunning) return
    isRunning = true
    void (async () => {
      while (isWanted) {
        isWanted = false
        await run()
      }
      isRunning = false
    })()
  }
}

/** How a program ended whose output has; null while it runs on, and for an endpoint. */
async function endOf(program: StreamedProcess | null): Promise<string | null> {
  const end = program === null ? null : await Promise.race([program.ended, delay(exitMs, null)])
  return end === null ? null : endText(end)
}

function endText({ exitCode, signal, spawnError }: ProcessExit): string {
  if (spawnError !== undefined) return spawnError.message
  return signal === null ? `it ended with exit code ${exitCode}` : `it was ended by ${signal}`
}
