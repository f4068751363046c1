import { readFileSync } from 'node:fs'
import type { Parley } from '@parley/client'
import { serveAppServer } from '@parley/frontends/src/app-server/serve-app-server.ts'
import { createMemoryTransportPair, type Transport } from '@parley/rpc'
import { isRecord } from '@parley/text'
import * as z from 'zod'
import { callersLimits } from '../../../src/programs/callers-limits.ts'
import { libraryOn } from '../../../src/programs/engine-program.ts'
import type { TestServer } from '../../engine/support/test-server.ts'

type Message = Readonly<Record<string, unknown>>

const schemas: Readonly<Record<'results' | 'notifications' | 'requests', Record<string, unknown>>> & { $defs: object } =
  JSON.parse(readFileSync(new URL('fixtures/codex-0.169.0.json', import.meta.url), 'utf8'))
const compiled = new Map<unknown, z.ZodType>()

/** Throws for what the schemas of the released program do not allow. */
function check(kind: 'results' | 'notifications' | 'requests', method: string, value: unknown): void {
  const schema = schemas[kind][method]
  if (schema === undefined) {
    if (kind === 'results') return
    throw new Error(`Codex has no ${kind} ${method}`)
  }
  const known = compiled.get(schema) ?? z.fromJSONSchema({ ...(schema as object), $defs: schemas.$defs } as never)
  compiled.set(schema, known)
  const { error } = known.safeParse(value)
  if (error !== undefined)
    throw new Error(`${kind} ${method}: ${z.prettifyError(error)}\n${JSON.stringify(value).slice(0, 2000)}`)
}

/** Fields of results that tests read; each result has some of them. */
interface Result {
  readonly thread: { readonly id: string; readonly turns: readonly unknown[] }
  readonly turn: ShownTurn
  readonly data: readonly ShownTurn[]
  readonly nextCursor: string | null
}

export interface ShownTurn {
  readonly id: string
  readonly status: string
  readonly items: readonly { readonly text?: string; readonly content?: readonly { readonly text: string }[] }[]
}

/** Client of an app-server in this process. Everything that it gets is checked against Codex's own schemas. */
export interface AppClient extends AsyncDisposable {
  readonly received: readonly Message[]
  /** Names of notifications and requests so far, each run of equal ones once. */
  story(): string[]
  send(line: string): void
  /** Resolves to the whole answer, an error included. */
  ask(method: string, params?: unknown): Promise<Message>
  /** Resolves to the result. Rejects for an error. */
  result(method: string, params?: unknown): Promise<Result>
  until(fits: (message: Message) => boolean): Promise<Message>
  initialize(capabilities?: object): Promise<void>
  /** Answers further requests of the server; null leaves them open. */
  answerWith(answer: ((request: Message) => object | null) | null): void
}

export interface AppClientOptions {
  /** Changes the server's end of the connection. */
  readonly transport?: (transport: Transport) => Transport
  readonly isUnlimited?: boolean
  /** Connects to the engine, as whoever runs it unless told. */
  readonly connect?: () => Promise<Parley>
}

export function appClient(
  { engine }: TestServer,
  { isUnlimited = false, transport = (one) => one, connect }: AppClientOptions = {},
): AppClient {
  const [ours, theirs] = createMemoryTransportPair()
  const maxSandbox = isUnlimited ? 'danger-full-access' : null
  const limits = callersLimits({ program: 'app-server', maxSandbox }, engine.limits)
  const parts = {
    connect: connect ?? ((who: { name: string; version: string }) => libraryOn(engine, { ...who, canApprove: true })),
    home: engine.identity.home,
    version: '1.0.0',
    limits,
    startCommand: engine.clientAccess.startCommand,
    files: engine.clientAccess.clientFiles,
    now: () => 1_000,
  }
  const served = serveAppServer(transport(theirs), parts, () => undefined)
  return openClient(ours, served)
}

function openClient(transport: Transport, served: Promise<void>): AppClient {
  const received: Message[] = []
  const asked = new Map<unknown, string>()
  const waiters = new Set<{ fits: (message: Message) => boolean; resolve: (message: Message) => void }>()
  let failure: unknown = null
  let answer: ((request: Message) => object | null) | null = () => ({ decision: 'accept' })
  let nextId = 0

  function checkMessage({ id, method, params, result }: Message): void {
    if (typeof method !== 'string') {
      if (result !== undefined) check('results', asked.get(id) ?? '', result)
    } else check(id === undefined ? 'notifications' : 'requests', method, params)
  }

  function answerRequest(message: Message): void {
    const { id, method } = message
    const given = id === undefined || method === undefined ? null : (answer?.(message) ?? null)
    if (given !== null) transport.send(JSON.stringify({ id, ...('error' in given ? given : { result: given }) }))
  }

  function take(message: Message): void {
    if ('jsonrpc' in message) throw new Error('jsonrpc is left out')
    checkMessage(message)
    received.push(message)
    answerRequest(message)
    for (const waiter of waiters) {
      if (!waiter.fits(message)) continue
      waiters.delete(waiter)
      waiter.resolve(message)
    }
  }

  async function read(): Promise<void> {
    for await (const incoming of transport.incoming) {
      if (incoming.kind === 'message' && isRecord(incoming.value)) take(incoming.value)
    }
  }
  const reading = read().catch((error: unknown) => {
    failure = error
    for (const waiter of waiters) waiter.resolve({ failure: String(error) })
  })

  const until: AppClient['until'] = async (fits) => {
    const known = received.find(fits)
    if (known !== undefined) return known
    if (failure !== null) throw failure
    const found = await new Promise<Message>((resolve) => waiters.add({ fits, resolve }))
    if (failure !== null) throw failure
    return found
  }
  const ask: AppClient['ask'] = (method, params) => {
    const id = `r${nextId++}`
    asked.set(id, method)
    transport.send(JSON.stringify({ id, method, params }))
    return until((message) => message['id'] === id && message['method'] === undefined)
  }
  const result: AppClient['result'] = async (method, params) => {
    const message = await ask(method, params)
    if (message['error'] !== undefined) throw new Error(JSON.stringify(message['error']))
    return message['result'] as Result
  }
  return {
    received,
    story() {
      const names = received.flatMap(({ method }) => (typeof method === 'string' ? [method] : []))
      return names.filter((name, index) => name !== names[index - 1])
    },
    send: (line) => transport.send(line),
    ask,
    result,
    until,
    async initialize(capabilities) {
      await result('initialize', {
        clientInfo: { name: 'test', title: null, version: '1' },
        capabilities: capabilities ?? null,
      })
      transport.send(JSON.stringify({ method: 'initialized' }))
    },
    answerWith(next) {
      answer = next
    },
    async [Symbol.asyncDispose]() {
      await transport.close()
      await served
      await reading
    },
  }
}
