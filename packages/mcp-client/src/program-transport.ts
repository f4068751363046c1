import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { StreamedProcess } from '@parley/host'
import { createMessageLines } from './message-lines.ts'

/** Lines of rubbish in one chunk that mean a flood, and how long we then do not read. */
const floodLines = 100
const restMs = 100

/** How long we read on after it has ended. */
const drainMs = 250

/** The stdio wire of MCP over a program that the host runs. What is no message is told and passed over. */
export function programTransport(program: StreamedProcess, onRubbish: (text: string) => void): Transport {
  const transport: Transport = {
    async start() {
      const { stdout } = program
      if (stdout === null) throw new Error((await program.ended).spawnError?.message ?? 'it could not be started')
      const lines = createMessageLines((message) => transport.onmessage?.(message), onRubbish)
      stdout.on('data', (chunk: Buffer) => {
        if (lines.push(chunk) > floodLines) restFor(stdout)
      })
      const silent = new Promise<void>((resolve) => stdout.once('close', resolve))
      // What it said before it ended counts; one that can say nothing more is as good as gone.
      void Promise.race([silent, program.ended.then(() => delay(drainMs))]).then(() => transport.onclose?.())
    },
    send: (message) => write(program, message),
    // Whoever started the program ends it.
    close: async () => transport.onclose?.(),
  }
  return transport
}

function restFor(stream: Readable): void {
  stream.pause()
  setTimeout(() => stream.resume(), restMs).unref()
}

/** Resolves when the server reads again: one that does not must not make us hold what we send. */
function write({ stdin, ended }: StreamedProcess, message: JSONRPCMessage): Promise<void> {
  if (stdin === null || !stdin.writable) return Promise.reject(new Error('it has ended'))
  if (stdin.write(`${JSON.stringify(message)}\n`)) return Promise.resolve()
  const drained = new Promise<void>((resolve) => stdin.once('drain', resolve))
  return Promise.race([drained, ended.then(() => undefined)])
}
