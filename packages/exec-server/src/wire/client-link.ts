import type { Exchanged } from '@parley/host'
import type { ExecMethodName, ExecNotificationName } from '@parley/protocol/exec'
import { notificationLine, type Peer, type Transport } from '@parley/rpc'
import type { OutputChunk } from '../output/retained-output.ts'

/** Connection to which a session sends its notifications. */
export interface ClientLink {
  readonly spelling: Spelling
  readonly bufferedBytes: number
  sendLine(line: string): void
  drained(): Promise<void>
  /** Resolves with whether the client is alive; sends a ping where the transport may not notice a lost network. */
  answers(withinMs: number): Promise<boolean>
  close(): Promise<void>
}

/** Link with method names that the first request with two names fixes. */
export interface SpokenLink extends ClientLink {
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

/** Set of method names that a client uses; `command` is the set of the protocol's first description. */
type Spelling = 'process' | 'command'

export const olderNames = {
  'command/exec': 'process/start',
  'command/write': 'process/write',
  'command/terminate': 'process/terminate',
} as const satisfies Record<string, ExecMethodName>

const notificationNames: Readonly<Record<Spelling, Readonly<Record<ExecNotificationName, string>>>> = {
  process: {
    'process/output': 'process/output',
    'process/exited': 'process/exited',
    'process/closed': 'process/closed',
  },
  command: {
    'process/output': 'command/outputDelta',
    'process/exited': 'command/exited',
    'process/closed': 'command/closed',
  },
}

function notificationName(spelling: Spelling, name: ExecNotificationName): string {
  return notificationNames[spelling][name]
}

/** Returns the notification of one chunk. Joined by hand, since base64 and the names need no escaping. */
export function outputLine(spelling: Spelling, idJson: string, { seq, stream, chunk }: OutputChunk): string {
  // The older names know two streams, and carry a terminal's output on the first.
  const named = spelling === 'command' && stream === 'pty' ? 'stdout' : stream
  const params = `{"processId":${idJson},"seq":${seq},"stream":"${named}","chunk":"${chunk}"}`
  return notificationLine(notificationName(spelling, 'process/output'), params)
}

export interface Exited {
  readonly seq: number
  readonly exitCode: number
  readonly sandboxDenied: boolean
  /** Reason why the process was never started; null when it ran. */
  readonly failure: string | null
}

export function exitedLine(spelling: Spelling, idJson: string, exited: Exited): string {
  const { seq, exitCode, sandboxDenied, failure } = exited
  const failed = failure === null ? '' : `,"failure":${JSON.stringify(failure)}`
  const params = `{"processId":${idJson},"seq":${seq},"exitCode":${exitCode},"sandboxDenied":${sandboxDenied}${failed}}`
  return notificationLine(notificationName(spelling, 'process/exited'), params)
}

export interface Closed {
  readonly seq: number
  readonly exchanged: readonly Exchanged[]
}

export function closedLine(spelling: Spelling, idJson: string, { seq, exchanged }: Closed): string {
  const found = exchanged.length === 0 ? '' : `,"exchanged":${JSON.stringify(exchanged)}`
  return notificationLine(notificationName(spelling, 'process/closed'), `{"processId":${idJson},"seq":${seq}${found}}`)
}
