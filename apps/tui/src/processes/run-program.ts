import type { ChildProcess } from 'node:child_process'
import { startProgram } from './start-program.ts'

interface ProgramSpec {
  /** Program and its words; no shell reads them. */
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Text for its standard input. */
  readonly input?: string
  readonly timeLimitMs: number
  /** Most bytes of output; a program that writes more is ended. */
  readonly maxBytes: number
}

export type ProgramEnd =
  /** `isCut`: the program wrote more than is kept. */
  | { readonly kind: 'ended'; readonly exitCode: number | null; readonly output: Buffer; readonly isCut: boolean }
  /** Program that did not start, failed, or was stopped at its time limit. */
  | { readonly kind: 'failed'; readonly reason: string }

/** Longest message of a program that failed. */
const maxErrorBytes = 2_000

/** Runs a program of the user's own outside the server, and stops it with its children at its limits. Never rejects. */
export function runProgram({ argv, cwd, env, input, timeLimitMs, maxBytes }: ProgramSpec): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>()
  // In a group of its own, so that it is stopped together with its children.
  const child = startProgram(argv, { cwd, env, detached: true, stdio: 'pipe' }, fail)
  const output = gather(child?.stdout, maxBytes, () => end('cut'))
  const errors = gather(child?.stderr, maxErrorBytes, () => undefined)
  const timer = setTimeout(() => end('late'), timeLimitMs)

  function end(why: 'cut' | 'late' | 'closed', exitCode: number | null = null): void {
    clearTimeout(timer)
    if (why !== 'closed' && child !== null) stopGroup(child)
    if (why === 'late') resolve({ kind: 'failed', reason: `it took longer than ${timeLimitMs / 1_000} s` })
    else resolve({ kind: 'ended', exitCode, output: output(), isCut: why === 'cut' })
  }

  function fail(reason: string): void {
    clearTimeout(timer)
    resolve({ kind: 'failed', reason })
  }

  child?.on('close', (exitCode, signal) => {
    if (exitCode === 0 || exitCode === null) return end('closed', signal === null ? exitCode : 1)
    const said = errors().toString('utf8').trim()
    fail(said === '' ? `it ended with ${exitCode}` : said)
  })
  // A program that does not read its input closes it.
  child?.stdin?.on('error', () => undefined).end(input ?? '')
  return promise
}

/** Collects a stream, if there is one, up to a limit; `full` is called once beyond it. Returns a function that returns the collected bytes. */
function gather(stream: NodeJS.ReadableStream | null | undefined, maxBytes: number, full: () => void): () => Buffer {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  stream?.on('data', (chunk: Buffer) => {
    if (sizeBytes >= maxBytes) return
    chunks.push(chunk.subarray(0, maxBytes - sizeBytes))
    sizeBytes += chunk.length
    if (sizeBytes >= maxBytes) full()
  })
  return () => Buffer.concat(chunks)
}

function stopGroup({ pid, stdout, stderr }: ChildProcess): void {
  stdout?.destroy()
  stderr?.destroy()
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
