import { setTimeout as delay } from 'node:timers/promises'
import { Client, type ElicitResult, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import type { StreamedProcess } from '@parley/host'
import * as z from 'zod'
import type { CallWatch, McpConnection } from './connection.ts'
import { readForm } from './elicitation-form.ts'
import { programTransport } from './program-transport.ts'
import { pages, resourceList, toolList } from './read-list.ts'
import { callResult, resourceParts } from './read-result.ts'
import { limitedFetch, limitReplies, type Refuse, tooLarge } from './replies/limit-replies.ts'
import { explainFailure, isLostSession } from './replies/lost-session.ts'
import { mendedFetch } from './replies/mended-fetch.ts'

/** Server over HTTP. */
export interface Endpoint {
  readonly url: string
  readonly fetch: typeof fetch
  readonly headers: Record<string, string>
  /** Resolves to the token of a login, anew for each request and where one was refused; null without a login. */
  readonly token?: (refused?: string) => Promise<string | null>
}

/** End of a session that the endpoint no longer knows. */
export interface LostSession {
  readonly why: string
  /** True when a call was answered in it. */
  readonly hasWorked: boolean
}

export interface ConnectOptions {
  readonly wire: { readonly program: StreamedProcess } | Endpoint
  readonly version: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Called when the connection has ended on either side; with a reason where the endpoint lost the session. */
  readonly onClose: (lost?: LostSession) => void
  readonly onToolsChanged: () => void
  /** Called with log messages of the server, errors, and invalid lines. */
  readonly onRemark: (text: string) => void
}

/** Time limit for telling an endpoint that the session has ended. */
const terminateMs = 500

/** Timeout beyond any call. The caller keeps the deadline, which pauses during questions to the user. */
const noTimeoutMs = 2 ** 31 - 1

/** Connects to a server and initialises it. This module loads the SDK; it is imported when the first server starts. */
export async function connect(options: ConnectOptions): Promise<Omit<McpConnection, 'lost'>> {
  const { wire, version, signal, timeoutMs, onClose, onToolsChanged, onRemark } = options
  const capabilities = { elicitation: { form: {} } }
  const client = new Client({ name: 'parley', title: 'parley', version }, { capabilities })
  const running: CallWatch[] = []
  client.onclose = () => onClose()
  client.onerror = (error) => onRemark(error.message)
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged)
  client.setNotificationHandler('notifications/message', ({ params: { level, data } }) =>
    onRemark(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`),
  )
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
    elicit(params, running.at(-1), mcpReq.signal),
  )
  const transport = transportFor(options)
  await client.connect(transport, { signal, timeout: timeoutMs })
  const hasTools = client.getServerCapabilities()?.tools !== undefined
  const quick = { timeout: timeoutMs }
  let hasWorked = false
  return {
    hasResources: client.getServerCapabilities()?.resources !== undefined,
    tools: () =>
      withExplainedErrors(async () =>
        hasTools ? toolList(await pages(client, 'tools', quick)) : { tools: [], problems: [] },
      ),
    call: (tool, args, watch) =>
      withExplainedErrors(async () => {
        running.push(watch)
        try {
          const result = await callTool(client, { name: tool, arguments: args }, watch)
          hasWorked = true
          return callResult(result)
        } finally {
          running.splice(running.indexOf(watch), 1)
        }
      }),
    resources: (cancel) =>
      withExplainedErrors(async () => resourceList(await pages(client, 'resources', { ...quick, signal: cancel }))),
    readResource: (uri, cancel) => {
      const request = { method: 'resources/read', params: { uri } }
      return withExplainedErrors(async () =>
        resourceParts(await client.request(request, anything, { ...quick, signal: cancel })),
      )
    },
    async close() {
      if (transport instanceof StreamableHTTPClientTransport)
        await Promise.race([transport.terminateSession().catch(() => undefined), delay(terminateMs)])
      await client.close()
    },
  }

  /** Ends the connection without telling the endpoint, which no longer knows it; other requests in it end as well. */
  function loseSession(): void {
    onClose({ why: 'it had ended the session, so parley connects to it again', hasWorked })
    client.close().catch(() => undefined)
  }

  async function withExplainedErrors<Value>(request: () => Promise<Value>): Promise<Value> {
    try {
      return await request()
    } catch (error) {
      if ('url' in wire && isLostSession(error)) loseSession()
      throw new Error(explainFailure(error), { cause: error })
    }
  }
}

function transportFor({ wire, onRemark }: ConnectOptions): Transport {
  if ('program' in wire) return programTransport(wire.program, (text) => onRemark(`no message: ${text}`))
  let refuse: Refuse = () => undefined
  const options = {
    requestInit: { headers: wire.headers },
    fetch: withToken(mendedFetch(limitedFetch(wire.fetch, () => refuse(tooLarge))), wire.token),
  }
  const transport = new StreamableHTTPClientTransport(new URL(wire.url), options)
  refuse = limitReplies(transport)
  return transport
}

function withToken(send: typeof fetch, token: Endpoint['token']): typeof fetch {
  if (token === undefined) return send
  return async (input, init) => {
    const found = await token()
    if (found === null) return send(input, init)
    const response = await send(input, authorised(init, found))
    // Servers end tokens early, and some do not say when one ends.
    const renewed = response.status === 401 ? await token(found) : null
    if (renewed === null || renewed === found) return response
    await response.body?.cancel()
    return send(input, authorised(init, renewed))
  }
}

function authorised(init: RequestInit = {}, token: string): RequestInit {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

const anything = z.looseObject({})

/** Replaces the SDK's `callTool`, which rejects results that do not match the server's output schema. */
function callTool(client: Client, params: Record<string, unknown>, { signal, onProgress }: CallWatch) {
  return client.request({ method: 'tools/call', params }, anything, {
    signal,
    timeout: noTimeoutMs,
    onprogress: ({ progress, total, message }) => onProgress(progressText({ progress, total, message })),
  })
}

function progressText(at: { progress: number; total?: number | undefined; message?: string | undefined }): string {
  const count = at.total === undefined ? String(at.progress) : `${at.progress} of ${at.total}`
  return at.message === undefined ? count : `${count}: ${at.message}`
}

/** Asks the user in the name of the newest call, since a question does not name its call. Answers `cancel` where no call runs. */
async function elicit(params: unknown, watch: CallWatch | undefined, signal: AbortSignal): Promise<ElicitResult> {
  const { message = '', requestedSchema } = elicitation.parse(params)
  const form = readForm(requestedSchema ?? {})
  if (watch === undefined || form === null) return { action: 'cancel' }
  const reply = await watch.elicit({ message, form: form.form, check: form.check, signal })
  if (reply.kind === 'answered') return { action: 'accept', content: form.content(reply.answers) }
  return { action: reply.kind === 'declined' ? 'decline' : 'cancel' }
}

const elicitation = z.looseObject({ message: z.string().optional(), requestedSchema: z.unknown().optional() })
