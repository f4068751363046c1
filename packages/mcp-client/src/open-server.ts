import type { Redaction } from '@parley/redaction'
import type { Endpoint, LostSession } from './connect.ts'
import type { McpConnection, ToolList } from './connection.ts'
import type { McpLogins } from './login.ts'
import type { ServerLogFile } from './server-log-file.ts'
import { isOffered, type McpSettings } from './settings.ts'
import { endOf, type ProgramPlace, type ProgramPorts, startProgram } from './start-program.ts'

/** Time limits and delays of MCP servers. */
export interface McpPatience {
  /** Time limit before the first model request of a conversation, while the user waits. */
  readonly firstRequestMs: number
  /** Delays before the restarts of a server that broke down; after the last one it has failed. */
  readonly restartDelaysMs: readonly number[]
}

export const usualPatience: McpPatience = { firstRequestMs: 5000, restartDelaysMs: [500, 2000, 5000] }

export interface McpPorts extends ProgramPorts {
  /** Value of `$PARLEY_HOME`. */
  readonly home: string
  readonly version: string
  readonly patience: McpPatience
  readonly redaction: Redaction
  readonly logins: McpLogins
  /** Sends the requests to servers over HTTP. */
  readonly fetch: typeof fetch
}

/** Server that has answered `initialize` and `tools/list`. */
export interface OpenedServer {
  readonly connection: McpConnection
  readonly list: ToolList
  close(): Promise<void>
}

export interface OpenWatch {
  /** Other machine that the program starts on; null for this one. */
  readonly place: ProgramPlace | null
  /** Aborts when the server is no longer needed. */
  readonly signal: AbortSignal
  readonly log: ServerLogFile
  onTools(list: ToolList): void
  /** Called when an opened server broke down and its program ended; `hasWorked` for the loss of a working session. */
  onLost(why: string, hasWorked: boolean): void
}

/** Time from closing the program's input to SIGTERM. */
const graceMs = 200

/**
 * Starts a server or connects to it, and lists its tools. Rejects with an `Error` written for people, after the program
 * has ended.
 */
export async function openServer(settings: McpSettings, ports: McpPorts, watch: OpenWatch): Promise<OpenedServer> {
  const { launch, startupTimeoutMs: timeoutMs } = settings
  const { signal, log } = watch
  // Loads the SDK, which costs too much for conversations without servers.
  const [{ connect }, { explainFailure }] = await Promise.all([
    import('./connect.ts'),
    import('./replies/lost-session.ts'),
  ])
  const program = launch.kind === 'stdio' ? await startProgram(launch, ports, watch) : null
  const endProgram = async () => void (await program?.stop(graceMs))
  let connection: McpConnection | null = null
  const readTools = async (from: Pick<McpConnection, 'tools'>) => offeredOf(await from.tools(), settings)
  const refresh = oneAtATime(async () => {
    if (connection === null || signal.aborted) return
    await readTools(connection).then(watch.onTools, (error: unknown) =>
      log.remark(`tools/list: ${explainFailure(error)}`),
    )
  })
  let lost: Promise<string> | null = null
  const lose = (session?: LostSession) => {
    if (connection === null) return
    connection = null
    const { why, hasWorked } = session ?? { why: 'the connection was lost', hasWorked: false }
    lost = endOf(program).then(async (end) => {
      await endProgram()
      return end ?? (program === null ? why : 'it closed its output')
    })
    void lost.then((said) => watch.onLost(said, hasWorked))
  }
  try {
    const opened = await connect({
      wire: program === null ? endpointOf(settings, ports) : { program },
      version: ports.version,
      timeoutMs,
      signal,
      onClose: lose,
      onToolsChanged: refresh,
      onRemark: log.remark,
    })
    const list = await readTools(opened)
    signal.throwIfAborted()
    connection = { ...opened, lost: () => lost }
    const close = async () => {
      connection = null
      await opened.close().catch(() => undefined)
      await endProgram()
    }
    return { connection, list, close }
  } catch (error) {
    // The end of the program says more than the loss of the connection.
    const end = signal.aborted ? null : await endOf(program)
    await endProgram()
    throw new Error(end ?? explainFailure(error), { cause: error })
  }
}

/** Returns the part of a list that the settings offer. */
function offeredOf({ tools, problems }: ToolList, settings: McpSettings): ToolList {
  return {
    tools: tools.filter(({ name }) => isOffered(settings, name)),
    problems: problems.filter(({ tool }) => tool === null || isOffered(settings, tool)),
  }
}

function endpointOf({ name, launch }: McpSettings, { env, logins, fetch }: McpPorts): Endpoint {
  if (launch.kind !== 'http') throw new Error(launch.kind === 'none' ? launch.problem : 'it has no url')
  const { url, headers, tokenVariable } = launch
  const isAuthorised = Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')
  if (tokenVariable === null && isAuthorised) return { url, fetch, headers: { ...headers } }
  if (tokenVariable === null)
    return { url, fetch, headers: { ...headers }, token: (refused) => logins.tokenFor(name, url, refused) }
  const token = env[tokenVariable] ?? ''
  if (token === '') throw new Error(`the variable ${tokenVariable} (bearer_token_env_var) is not set`)
  return { url, fetch, headers: { ...headers, Authorization: `Bearer ${token}` } }
}

/** Runs one call at a time. Calls during a run lead to one more run, since a server may notify without end. */
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
