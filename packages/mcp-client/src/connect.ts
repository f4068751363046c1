import { setTimeout as delay } from 'node:timers/promises'
import { Client, type ElicitResult, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import type { StreamedProcess } from '@parley/host'
import * as z from 'zod'
import type { CallWatch, McpConnection } from './connection-port.ts'
import { readForm } from './elicitation-form.ts'
import { explainFailure, isLostSession } from './explain-failure.ts'
import { pages, resourceOf, toolOf } from './list-pages.ts'
import { programTransport } from './program-transport.ts'
import { callResult, resourceParts } from './result-parts.ts'

/** This module loads the SDK; it is imported when the first server is started. */

export interface ConnectOptions {
  readonly wire:
    | { readonly program: StreamedProcess }
    | { readonly url: string; readonly headers: Record<string, string> }
  readonly version: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** The connection is gone, whoever ended it; `why` where more is known than that. */
  readonly onClose: (why?: string) => void
  readonly onToolsChanged: () => void
  /** For the server's log: what it says unasked, and lines that are no messages. */
  readonly onRemark: (text: string) => void
}

/** What an endpoint is given to hear that its session is over. */
const farewellMs = 500

/** Longer than any call may last: the caller keeps the time, so that a question to the user can stop the clock. */
const noTimeoutMs = 2 ** 31 - 1

export async function connect(options: ConnectOptions): Promise<Omit<McpConnection, 'lost'>> {
  const { version, signal, timeoutMs, onClose, onToolsChanged, onRemark } = options
  const capabilities = { elicitation: { form: {} } }
  const client = new Client({ name: 'parley', title: 'parley', version }, { capabilities })
  const running: CallWatch[] = []
  client.onclose = () => onClose()
  client.onerror = (error) => onRemark(error.message)
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged)
  client.setNotificationHandler('notifications/message', ({ params }) =>
    onRemark(`${params.level}: ${textOf(params.data)}`),
  )
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
    elicit(params, running.at(-1), mcpReq.signal),
  )
  const transport = transportFor(options)
  await client.connect(transport, { signal, timeout: timeoutMs })
  const hasTools = client.getServerCapabilities()?.tools !== undefined
  const quick = { timeout: timeoutMs }
  return {
    hasResources: client.getServerCapabilities()?.resources !== undefined,
    tools: () => told(async () => (hasTools ? (await pages(client, 'tools', quick)).flatMap(toolOf) : [])),
    call: (tool, args, watch) =>
      told(async () => {
        running.push(watch)
        try {
          return callResult(await callTool(client, { name: tool, arguments: args }, watch))
        } finally {
          running.splice(running.indexOf(watch), 1)
        }
      }),
    resources: (cancel) =>
      told(async () => (await pages(client, 'resources', { ...quick, signal: cancel })).flatMap(resourceOf)),
    readResource: (uri, cancel) => {
      const request = { method: 'resources/read', params: { uri } }
      return told(async () => resourceParts(await client.request(request, anything, { ...quick, signal: cancel })))
    },
    async close() {
      if (transport instanceof StreamableHTTPClientTransport)
        await Promise.race([transport.terminateSession().catch(() => undefined), delay(farewellMs)])
      await client.close()
    },
  }

  async function told<Value>(ask: () => Promise<Value>): Promise<Value> {
    try {
      return await ask()
    } catch (error) {
      if (isLostSession(error)) onClose('it no longer knew our session, so it was connected to anew')
      throw new Error(explainFailure(error), { cause: error })
    }
  }
}

function transportFor({ wire, onRemark }: ConnectOptions): Transport {
  if ('program' in wire) return programTransport(wire.program, (text) => onRemark(`no message: ${text}`))
  return new StreamableHTTPClientTransport(new URL(wire.url), { requestInit: { headers: wire.headers } })
}

const anything = z.looseObject({})

/** Not the SDK's own `callTool`: it would throw away a result that does not fit what the server said of it. */
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

/** The server does not say which call its question belongs to: the newest one. Without a call nobody is asked. */
async function elicit(params: unknown, watch: CallWatch | undefined, signal: AbortSignal): Promise<ElicitResult> {
  const { message = '', requestedSchema } = elicitation.parse(params)
  const form = readForm(requestedSchema ?? {})
  if (watch === undefined || form === null) return { action: 'cancel' }
  const reply = await watch.elicit({ message, form: form.form, check: form.check, signal })
  if (reply.kind === 'answered') return { action: 'accept', content: form.content(reply.answers) }
  return { action: reply.kind === 'declined' ? 'decline' : 'cancel' }
}

const elicitation = z.looseObject({ message: z.string().optional(), requestedSchema: z.unknown().optional() })

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data)
}
