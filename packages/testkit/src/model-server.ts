import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sendStep } from './send-step.ts'
import { refusalBody, refusalOf } from './strict/refuse-request.ts'
import type { RecordedRequest, ScriptedStep, Wire } from './wires/scripted-step.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))

/** Files of a certificate for `models.test` and loopback, which is its own authority, and of its key. */
export const loopbackCertificate = { certFile: fixture('certificate.pem'), keyFile: fixture('key.pem') } as const

export type ModelServer = AsyncDisposable & {
  /** Value for a provider's `base_url`. */
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** Appends steps; each answers one model request, in order. */
  script(steps: readonly ScriptedStep[]): void
  /** Replaces the entries of its list of models. */
  list(entries: readonly object[]): void
  /** Returns the number of steps that no request has taken yet. */
  pending(): number
  /** Resolves to the oldest request that no earlier call returned; waits for one if necessary. */
  nextRequest(): Promise<RecordedRequest>
}

interface ModelServerOptions {
  /** Returns false for a bearer token that the server refuses with 401; `null` stands for a request without one. */
  readonly accepts?: (token: string | null) => boolean | Promise<boolean>
  /** False forgets requests once they are answered: a long run has gigabytes of them. Default: true. */
  readonly keepsRequests?: boolean
  /** Port of loopback that it listens at; a free one when left out. */
  readonly port?: number
  /** True answers also requests that the real API refuses; false answers them with its error 400. Default: false. */
  readonly isLenient?: boolean
}

/**
 * Starts an HTTP server on loopback that answers model requests with scripted steps. A request beyond the script gets
 * status 400, as does one that the real API refuses, which takes no step.
 */
export async function startModelServer(
  steps: readonly ScriptedStep[] = [],
  { accepts = () => true, keepsRequests = true, isLenient = false, port: wanted = 0 }: ModelServerOptions = {},
): Promise<ModelServer> {
  const queue = [...steps]
  let listed: object = modelList
  const requests: RecordedRequest[] = []
  let count = 0
  const arrivals = mailbox<RecordedRequest>()
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? null
    if (!(await accepts(token))) return reject(response, 'this key is not known', 401)
    const wire = wireOf(incoming)
    if (wire === undefined) return answerOther(incoming, response, listed)
    const request = await readRequest({ incoming, response, wire, number: ++count })
    const refusal = isLenient ? null : refusalOf(request)
    const step = refusal === null ? queue.shift() : { status: 400, body: refusalBody(wire, refusal) }
    if (keepsRequests) {
      requests.push(request)
      arrivals.put(request)
    }
    if (step === undefined) return reject(response, `the script has no step for request ${request.number}`)
    await sendStep(typeof step === 'function' ? await step(request) : step, request, response)
  }

  const port = await listen(server, wanted)
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    script(more) {
      for (const step of more) queue.push(step)
    },
    list: (entries) => {
      listed = { data: entries }
    },
    pending: () => queue.length,
    nextRequest: arrivals.take,
    [Symbol.asyncDispose]: () => close(server),
  }
}

function wireOf(incoming: IncomingMessage): Wire | undefined {
  const path = incoming.url?.split('?')[0] ?? ''
  if (incoming.method !== 'POST') return undefined
  return paths.find(([end]) => path.endsWith(end))?.[1]
}

/** Wires by the end of a request's path. */
const paths: readonly (readonly [string, Wire])[] = [
  ['/responses', 'responses'],
  ['/chat/completions', 'chat'],
  ['/messages', 'anthropic'],
  [':streamGenerateContent', 'gemini'],
]

type Arrival = {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly wire: Wire
  readonly number: number
}

async function readRequest({ incoming, response, wire, number }: Arrival): Promise<RecordedRequest> {
  const dropped = Promise.withResolvers<void>()
  response.once('close', () => {
    if (!response.writableFinished) dropped.resolve()
  })
  const body = await text(incoming)
  const { url: path = '', headers } = incoming
  return { number, wire, path, headers, text: body, body: parsed(body), dropped: dropped.promise }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function answerOther(incoming: IncomingMessage, response: ServerResponse, listed: object): void {
  const path = incoming.url?.split('?')[0] ?? ''
  if (path.endsWith('/models')) sendJson(response, 200, listed)
  else reject(response, `nothing answers ${incoming.method} ${incoming.url}`, 404)
}

/** List of models in the forms of OpenAI and Anthropic (`data`) and of Gemini (`models`). */
const modelList = { data: [{ id: 'scripted', object: 'model' }], models: [{ name: 'models/scripted' }] }

function reject(response: ServerResponse, message: string, status = 400): void {
  sendJson(response, status, { error: { message, type: 'scripted' } })
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the model server has no port')
  return address.port
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

type Mailbox<T> = { put(value: T): void; take(): Promise<T> }

/** Queue with a `take` that resolves to the oldest value, at once or when one arrives. */
function mailbox<T>(): Mailbox<T> {
  const values: T[] = []
  const takers: ((value: T) => void)[] = []
  return {
    put: (value) => {
      const taker = takers.shift()
      if (taker) taker(value)
      else values.push(value)
    },
    take: () => {
      const value = values.shift()
      return value === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(value)
    },
  }
}
