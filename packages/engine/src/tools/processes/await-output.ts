import type { OutputSnapshot } from '@parley/host'
import type { ItemId } from '@parley/protocol'
import type { ToolPorts } from '../contract/define-tool.ts'
import { createLineScan } from './output-lines.ts'
import type { OutputPattern } from './output-pattern.ts'

export interface AwaitedOutput {
  /** Line that is waited for; null for any output. */
  readonly pattern: OutputPattern | null
  /** True to wait for the end alone, where no pattern is given. */
  readonly exit: boolean
  /** Time limit in ms, or null. */
  readonly timeoutMs: number | null
  /** Offset in the output from which on it counts. */
  readonly sinceByte: number
  /** Aborts the wait. */
  readonly signal: AbortSignal
}

export type Awaited =
  | { readonly kind: 'printed'; readonly line: string }
  | { readonly kind: 'ended' }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'interrupted' }

/** Processes with output that can be read and awaited. */
export type ReadableProcesses = Pick<ToolPorts['background'], 'output' | 'listen' | 'ended'>

interface AwaitPorts extends Pick<ToolPorts, 'clock'> {
  readonly background: ReadableProcesses
}

/** Waits until a process prints the awaited text, ends, or the time is over. Null for an unknown process. */
export async function awaitOutput(
  id: string,
  wanted: AwaitedOutput,
  { background, clock }: AwaitPorts,
): Promise<Awaited | null> {
  const { signal } = wanted
  const printed = Promise.withResolvers<Awaited>()
  const scan = scanFor(wanted)
  // Of a command that is followed the output comes again.
  let earlierBytes = 0
  const take = (chunk: Buffer) => {
    const fresh = chunk.subarray(earlierBytes)
    earlierBytes -= chunk.length - fresh.length
    const line = fresh.length === 0 ? null : scan(fresh)
    if (line !== null) printed.resolve({ kind: 'printed', line })
  }
  const before = background.output(id)
  const ended = background.ended(id)
  if (before === null || ended === null) return null
  for (const piece of piecesSince(before, wanted.sinceByte)) take(piece)
  earlierBytes = Math.max(0, wanted.sinceByte - before.totalBytes)
  const leave = background.listen(id, take)
  const over = new AbortController()
  const timedOut = wait(wanted.timeoutMs, AbortSignal.any([signal, over.signal]), clock).then(
    () => ({ kind: signal.aborted ? 'interrupted' : 'timedOut' }) as const,
  )
  try {
    return await Promise.race([printed.promise, ended.then(() => ({ kind: 'ended' }) as const), timedOut])
  } finally {
    leave?.()
    over.abort()
  }
}

/** Has it said, once, when a command prints a line with the pattern, from an offset in its output on. */
export function tellWhenPrinted(
  itemId: ItemId,
  { pattern, sinceByte }: { readonly pattern: OutputPattern; readonly sinceByte: number },
  ports: AwaitPorts & Pick<ToolPorts, 'tellPrinted'>,
): void {
  const wanted = { pattern, exit: false, timeoutMs: null, sinceByte, signal: new AbortController().signal }
  void awaitOutput(itemId, wanted, ports).then((found) => {
    if (found?.kind === 'printed') ports.tellPrinted(itemId, found.line)
  })
}

function wait(timeoutMs: number | null, signal: AbortSignal, { sleep }: ToolPorts['clock']): Promise<void> {
  if (timeoutMs !== null) return sleep(timeoutMs, signal)
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function scanFor({ pattern, exit }: AwaitedOutput): (chunk: Buffer) => string | null {
  if (pattern !== null) return createLineScan(pattern)
  return () => (exit ? null : '')
}

/** Returns what memory has of the output from an offset on. */
function piecesSince({ head, tail, totalBytes }: OutputSnapshot, sinceByte: number): readonly Buffer[] {
  const tailStart = totalBytes - tail.length
  return [head.subarray(sinceByte), tail.subarray(Math.max(0, sinceByte - tailStart))]
}
