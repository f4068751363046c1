import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ProcessState } from '@parley/engine'

const resolutionMs = 20
const nsPerSecond = 1e9

/** Measures this process from now on. Returns the function that reads the measures. */
export function watchProcess(version: string): () => ProcessState {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  return () => {
    // Node counts the pause between two looks as well.
    const beyond = (ns: number) => Math.max(0, ns / nsPerSecond - resolutionMs / 1000)
    const loopDelays = {
      0.5: beyond(delays.percentile(50)),
      0.99: beyond(delays.percentile(99)),
      1: beyond(delays.max),
    }
    // Each reading is about the time since the one before: over all time a maximum says nothing about now.
    delays.reset()
    const { rss, heapUsed, external } = process.memoryUsage()
    return { version, uptimeSeconds: process.uptime(), loopDelays, memory: { rss, heapUsed, external } }
  }
}
