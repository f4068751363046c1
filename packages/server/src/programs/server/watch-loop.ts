import type { Worker } from 'node:worker_threads'
import { secondsText } from '@parley/text'

export interface LoopWatch {
  /** Path of the program that reads the stack. */
  readonly program: string
  readonly writeLog: (line: string) => void
  readonly limits?: LoopLimits
}

interface LoopLimits {
  /** Time between two beats. */
  readonly beatMs: number
  /** Lateness of a beat from which on a block is a line of the log. */
  readonly blockedMs: number
  /** Lateness of a beat after which stacks are read of the next blocks. */
  readonly suspiciousMs: number
}

const usualLimits: LoopLimits = { beatMs: 500, blockedMs: 1000, suspiciousMs: 250 }

/** Writes a line to the log each time the event loop was blocked. Returns the function that ends the watch. */
export function watchLoop({ program, writeLog, limits = usualLimits }: LoopWatch): () => void {
  const { beatMs, blockedMs, suspiciousMs } = limits
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let reader: Worker | null = null
  let lastMs = performance.now()
  let lastCpu = process.threadCpuUsage()

  function beat(): void {
    Atomics.add(beats, 0, 1)
    const nowMs = performance.now()
    const lateMs = nowMs - lastMs - beatMs
    const { user, system } = process.threadCpuUsage(lastCpu)
    if (lateMs > blockedMs) {
      const stacks = reader === null ? ' From now on the stack of such a block is read.' : ''
      const [blocked, busy] = [secondsText(lateMs), secondsText((user + system) / 1000)]
      writeLog(`The event loop was blocked for ${blocked}, ${busy} of it by work of its own.${stacks}`)
    }
    // The thread that reads the stack costs 19 MiB and 35 ms of CPU, so the first suspicious block starts it.
    if (lateMs > suspiciousMs) reader ??= startReader()
    lastMs = nowMs
    lastCpu = process.threadCpuUsage()
  }

  function startReader(): Worker {
    const workerData = { beats, checkMs: beatMs + blockedMs }
    const threads = process.getBuiltinModule('node:worker_threads')
    const started = new threads.Worker(program, { workerData, env: {}, execArgv: [] })
    started.on('message', (stack) => writeLog(`The event loop was blocked here: ${String(stack)}`))
    started.on('error', (error) => writeLog(`The stack of a blocked event loop cannot be read: ${String(error)}`))
    started.unref()
    return started
  }

  const timer = setInterval(beat, beatMs).unref()
  return () => {
    clearInterval(timer)
    void reader?.terminate()
  }
}
