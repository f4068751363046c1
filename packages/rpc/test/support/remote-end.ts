import { PassThrough } from 'node:stream'
import { createPeer, createStreamTransport, type Peer, type PeerOptions, type StreamLimits } from '../../src/index.ts'

/** Raw byte streams at the other end of a peer, read without the code under test. */
export interface RemoteEnd extends AsyncDisposable {
  readonly peer: Peer
  readonly input: PassThrough
  readonly output: PassThrough
  readonly lines: string[]
  write(bytes: string | Uint8Array): void
  /** Resolves with all parsed lines once there are at least `count`. */
  received(count: number): Promise<unknown[]>
}

export type RemoteEndOptions = Omit<PeerOptions, 'transport' | 'methods'> & {
  readonly methods?: PeerOptions['methods']
  readonly stream?: Partial<StreamLimits>
  /** Leaves the peer's output unread until `readAll` is called. */
  readonly stalled?: boolean
}

export function createRemoteEnd({
  stream,
  stalled,
  ...options
}: RemoteEndOptions = {}): RemoteEnd & { readAll(): void } {
  const input = new PassThrough()
  const output = new PassThrough()
  const transport = createStreamTransport({ graceMs: 200, ...stream, input, output })
  const peer = createPeer({ methods: {}, ...options, transport })
  const lines: string[] = []
  const readAll = () => collectLines(output, lines)
  if (stalled !== true) readAll()
  return {
    peer,
    input,
    output,
    lines,
    readAll,
    write: (bytes) => {
      input.write(bytes)
    },
    received: async (count) => {
      await until(() => lines.length >= count)
      return lines.map((line) => JSON.parse(line))
    },
    [Symbol.asyncDispose]: () => peer.close(),
  }
}

function collectLines(output: PassThrough, lines: string[]): void {
  let rest = ''
  output.setEncoding('utf8')
  output.on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
  })
}

/** Lets the event loop turn until the state is reached; the test's own time limit ends it otherwise. */
export async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await turn()
}

export async function turns(count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await turn()
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

export function request(id: unknown, method: string, params?: unknown): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
}
