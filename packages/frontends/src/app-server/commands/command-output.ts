import type { OutputStream } from '@parley/host'
import type { CommandRequest } from './command-request.ts'

type ShownStream = 'stdout' | 'stderr'

/** Part of a command's output that the client gets. `capReached`: no more of this stream follows. */
interface Delta {
  readonly stream: ShownStream
  readonly bytes: Buffer
  readonly capReached: boolean
}

/** Output of one command on its way to the client. */
export interface CommandOutput {
  take(stream: OutputStream, chunk: Buffer): void
  /** Returns the kept part of a stream, as text; empty for a stream that was sent as it came. */
  kept(stream: ShownStream): string
}

/** Cuts each stream at the cap of the request, and sends the rest or keeps it for the answer. */
export function createCommandOutput(
  { capBytes, streamsOutput }: Pick<CommandRequest, 'capBytes' | 'streamsOutput'>,
  send: (delta: Delta) => void,
): CommandOutput {
  const left = { stdout: capBytes, stderr: capBytes }
  const chunks: Record<ShownStream, Buffer[]> = { stdout: [], stderr: [] }
  return {
    take(from, chunk) {
      // A terminal has one stream.
      const stream = from === 'stderr' ? 'stderr' : 'stdout'
      const room = left[stream]
      if (room === 0) return
      const bytes = room === null ? chunk : chunk.subarray(0, room)
      if (room !== null) left[stream] = room - bytes.length
      if (streamsOutput) send({ stream, bytes, capReached: left[stream] === 0 })
      else chunks[stream].push(Buffer.from(bytes))
    },
    kept: (stream) => Buffer.concat(chunks[stream]).toString('utf8'),
  }
}
