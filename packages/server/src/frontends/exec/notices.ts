import { notificationLine } from '@parley/rpc'
import type { OutputChunk } from './output/retained-output.ts'
import { notificationName, type Spelling } from './spelling.ts'

/** The lines that tell of one process. Written by hand: base64 and our own names need no escaping. */
export function outputLine(spelling: Spelling, idJson: string, { seq, stream, chunk }: OutputChunk): string {
  // The older description knew two streams, and a terminal's output was on the first.
  const named = spelling === 'command' && stream === 'pty' ? 'stdout' : stream
  const params = `{"processId":${idJson},"seq":${seq},"stream":"${named}","chunk":"${chunk}"}`
  return notificationLine(notificationName(spelling, 'process/output'), params)
}

export interface Exited {
  readonly seq: number
  readonly exitCode: number
  readonly sandboxDenied: boolean
  /** Nothing of it was run. */
  readonly failure: string | null
}

export function exitedLine(spelling: Spelling, idJson: string, exited: Exited): string {
  const { seq, exitCode, sandboxDenied, failure } = exited
  const failed = failure === null ? '' : `,"failure":${JSON.stringify(failure)}`
  const params = `{"processId":${idJson},"seq":${seq},"exitCode":${exitCode},"sandboxDenied":${sandboxDenied}${failed}}`
  return notificationLine(notificationName(spelling, 'process/exited'), params)
}

export function closedLine(spelling: Spelling, idJson: string, seq: number): string {
  return notificationLine(notificationName(spelling, 'process/closed'), `{"processId":${idJson},"seq":${seq}}`)
}
