import type { Transport } from '@parley/rpc'
import { waitUntil } from '@parley/testkit'

/** Message as received. */
export interface Message {
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>> & { readonly processId: string; readonly seq: number }
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: {
    readonly code: number
    readonly message: string
    readonly data?: Readonly<Record<string, unknown>>
  }
}

export interface ExecClient extends AsyncDisposable {
  readonly messages: readonly Message[]
  /** A line as it stands. */
  sendLine(line: string): void
  notify(method: string, params?: unknown): void
  /** The whole answer, an error too. */
  ask(method: string, params?: unknown): Promise<Message>
  greet(params?: Record<string, unknown>): Promise<Message>
  start(processId: string, argv: readonly string[], more?: Record<string, unknown>): Promise<Message>
  /** Starts it and waits until it is closed. */
  run(processId: string, argv: readonly string[], more?: Record<string, unknown>): Promise<readonly Message[]>
  /** Returns the notifications of a process in order. */
  told(processId: string): readonly Message[]
  untilTold(processId: string, method: string): Promise<Message>
  text(processId: string, stream?: string): string
  stopReading(): void
  readOn(): void
  readonly isClosed: boolean
  closed(): Promise<unknown>
  leave(): Promise<void>
}

export function connectClient(transport: Transport, env: Readonly<Record<string, string>> = {}): ExecClient {
  const messages: Message[] = []
  let isClosed = false
  let nextId = 1
  let readOn = Promise.withResolvers<void>()
  readOn.resolve()
  void (async () => {
    for await (const incoming of transport.incoming) {
      if (incoming.kind === 'message') messages.push(incoming.value as Message)
      await readOn.promise
    }
    await transport.close()
  })()
  void transport.closed.then(() => {
    isClosed = true
  })
  const until = <T>(what: string, find: () => T) => waitUntil(find, { what })
  const sendLine = (line: string) => transport.send(line)
  const ask = (method: string, params: unknown = {}) => {
    const id = nextId++
    sendLine(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return until(`the answer to ${method}`, () => messages.find((message) => message.id === id))
  }
  const notify = (method: string, params: unknown = {}) => sendLine(JSON.stringify({ jsonrpc: '2.0', method, params }))
  const told = (processId: string) =>
    messages.filter((message) => message.method !== undefined && message.params?.processId === processId)
  const untilTold = (processId: string, method: string) =>
    until(`${method} of ${processId}`, () => told(processId).find((message) => message.method === method))
  const start = (processId: string, argv: readonly string[], more: Record<string, unknown> = {}) =>
    ask('process/start', {
      ...{ processId, argv, cwd: '/', tty: false },
      ...{ env: { PATH: process.env['PATH'], ...env } },
      ...more,
    })
  return {
    ...{ messages, sendLine, notify, ask, told, untilTold, start },
    async greet(params = { clientName: 'test' }) {
      const answer = await ask('initialize', params)
      if (answer.error === undefined) notify('initialized')
      return answer
    },
    async run(processId, argv, more) {
      await start(processId, argv, more)
      await untilTold(processId, 'process/closed')
      return told(processId)
    },
    text: (processId, stream) => textOf(told(processId), stream),
    stopReading() {
      readOn = Promise.withResolvers()
    },
    readOn: () => readOn.resolve(),
    get isClosed() {
      return isClosed
    },
    closed: () => until('the close', () => isClosed),
    leave: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  }
}

export function textOf(told: readonly Message[], stream?: string): string {
  const chunks = told.filter(
    ({ params }) => 'chunk' in (params ?? {}) && [undefined, params?.['stream']].includes(stream),
  )
  return Buffer.concat(chunks.map(({ params }) => Buffer.from(String(params?.['chunk']), 'base64'))).toString()
}

/** `output 1`, `exited 2`, `closed 3`: what every process's story must be told like. */
export function story(told: readonly Message[]): string[] {
  return told.map(({ method, params }) => `${method?.split('/')[1]} ${params?.seq}`)
}
