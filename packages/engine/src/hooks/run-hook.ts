import type { Readable } from 'node:stream'
import type { Host, ProcessExit, Sandbox } from '@parley/host'
import type { Clock } from '../ports/clock-and-ids.ts'

/** Bytes that a hook may write to stdout, and to stderr; one that writes more is stopped. */
const maxHookBytes = 1024 * 1024

/** Wait for the rest of the output after the exit, which a process that escaped may hold open. */
const drainMs = 250

/** End of a hook's process. */
export interface HookEnd {
  /** `flooded`: it wrote more than `maxHookBytes`. `interrupted`: the turn was. */
  readonly how: 'exited' | 'timedOut' | 'flooded' | 'interrupted' | 'notStarted'
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** Reason why it was not started. */
  readonly problem?: string
  readonly durationMs: number
}

export interface HookStart {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Text for stdin, which is closed after it. */
  readonly input: string
  readonly timeoutMs: number
  readonly sandbox: Sandbox
}

interface RunPorts {
  readonly processes: Pick<Host, 'spawnStreams'>
  readonly clock: Pick<Clock, 'elapsed' | 'sleep'>
}

/** Runs a hook to its end, within its time. Its whole process group is ended with it. Never rejects. */
export async function runHook(start: HookStart, ports: RunPorts, signal: AbortSignal): Promise<HookEnd> {
  const { argv, cwd, env, input, timeoutMs, sandbox } = start
  const { clock } = ports
  const startedMs = clock.elapsed()
  const program = ports.processes.spawnStreams({ argv, cwd, env, sandbox })
  let how: HookEnd['how'] = 'exited'
  const stop = (why: HookEnd['how']) => {
    if (how === 'exited') how = why
    void program.stop(0)
  }
  const stdout = collect(program.stdout, () => stop('flooded'))
  const stderr = collect(program.stderr, () => stop('flooded'))
  const over = new AbortController()
  const interrupt = () => stop('interrupted')
  signal.addEventListener('abort', interrupt, { once: true })
  if (signal.aborted) interrupt()
  void clock.sleep(timeoutMs, over.signal).then(() => {
    if (!over.signal.aborted) stop('timedOut')
  })
  // With the end of its line: `read` of a shell fails on one without.
  program.stdin?.end(`${input}\n`)
  const exit = await program.ended
  over.abort()
  signal.removeEventListener('abort', interrupt)
  const drained = new AbortController()
  await Promise.race([Promise.all([stdout.ended, stderr.ended]), clock.sleep(drainMs, drained.signal)])
  drained.abort()
  const durationMs = Math.round(clock.elapsed() - startedMs)
  return { ...endOf(exit, how), stdout: stdout.text(), stderr: stderr.text(), durationMs }
}

function endOf({ exitCode, signal, spawnError }: ProcessExit, how: HookEnd['how']) {
  const isUnstarted = spawnError !== undefined && how === 'exited'
  const problem = spawnError === undefined ? {} : { problem: spawnError.message }
  return { how: isUnstarted ? ('notStarted' as const) : how, exitCode, signal, ...problem }
}

interface Collected {
  readonly ended: Promise<void>
  text(): string
}

/** Collects the output of a stream up to the limit; calls `onFull` when there is more. */
function collect(stream: Readable | null, onFull: () => void): Collected {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  if (stream === null) resolve()
  stream?.on('data', (chunk: Buffer) => {
    const room = maxHookBytes - sizeBytes
    if (room > 0) chunks.push(chunk.subarray(0, room))
    sizeBytes += chunk.length
    if (sizeBytes > maxHookBytes) onFull()
  })
  stream?.once('close', () => resolve())
  return { ended, text: () => Buffer.concat(chunks).toString('utf8') }
}
