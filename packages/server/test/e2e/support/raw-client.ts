import { createInterface } from 'node:readline'
import { waitUntil } from '@parley/testkit'
import type { SpawnedServer } from './spawned-server.ts'

/** Client that writes requests and reads the answers by hand, so that it can do both wrongly. */
export function rawClient({ child }: SpawnedServer) {
  let id = 0
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout ?? process.stdin })
  reader.on('line', (line) => lines.push(line))
  const write = (bytes: string | Buffer) => child.stdin?.write(bytes)
  const send = (method: string, params: unknown) => {
    id++
    write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return id
  }
  const answer = (wanted: unknown) =>
    waitUntil(() => lines.map((line) => JSON.parse(line)).find((message) => message.id === wanted), {
      what: `answer ${wanted}`,
      timeoutMs: 30_000,
    })
  return {
    lines,
    write,
    send,
    answer,
    ask: (method: string, params: unknown) => answer(send(method, params)),
    pause: () => child.stdout?.pause(),
    resume: () => child.stdout?.resume(),
  }
}
