import type { Peer, Transport } from '@parley/rpc'
import type { Spelling } from './spelling.ts'

/** The connection that a session speaks to at present. */
export interface Link {
  readonly spelling: Spelling
  readonly bufferedBytes: number
  sendLine(line: string): void
  drained(): Promise<void>
  /** Whether its client lives, asked for a sign of it where the connection itself may not notice. */
  answers(withinMs: number): Promise<boolean>
  close(): Promise<void>
}

/** The names are settled by the first request that has two. */
export interface SpokenLink extends Link {
  settleSpelling(spelling: Spelling): void
}

export function createLink(transport: Transport, peer: () => Peer): SpokenLink {
  let settled: Spelling | null = null
  return {
    get spelling() {
      return settled ?? 'process'
    },
    settleSpelling(spelling) {
      settled ??= spelling
    },
    get bufferedBytes() {
      return peer().bufferedBytes
    },
    sendLine: (line) => peer().sendLine(line),
    drained: () => peer().drained(),
    answers: async (withinMs) => (await transport.ping?.(withinMs)) ?? true,
    close: () => peer().close(),
  }
}
