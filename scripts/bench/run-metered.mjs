import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { nowMs } from './clock.mjs'
import { watchMemory } from './peak-memory.mjs'
import { childrenOf } from './process-tree.mjs'

const bash = '/bin/bash'
/** Script of bash that reports wall and CPU time of a command and its children, which Node does not. */
const meter = 'TIMEFORMAT="%3R %3U %3S"; { time "$@" 2>&4; } 4>&2 2>&3'
const timeLimitMs = 300_000

/**
 * Runs one program to its end, reading its output as it comes.
 * @returns {Promise<{ wallMs: number, cpuMs: number, peakMiB: number, startedMs: number, endedMs: number }>}
 */
export async function runMetered(argv, { env, cwd }) {
  const isMetered = existsSync(bash)
  const [program, ...args] = isMetered ? [bash, '-c', meter, 'meter', ...argv] : argv
  const startedMs = nowMs()
  const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe', 'pipe'], timeout: timeLimitMs })
  const memory = watchMemory(() => (isMetered ? childrenOf(child.pid) : [child.pid]))
  const [, stderr, times] = child.stdio.slice(1).map(collect)
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  const endedMs = nowMs()
  const peakMiB = memory.stop()
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr().slice(-500)}`)
  const [wall = (endedMs - startedMs) / 1000, user, system] = times().trim().split(' ').map(Number)
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000, peakMiB, startedMs, endedMs }
}

/** Collects the end of a stream. */
function collect(stream) {
  let text = ''
  stream.on('data', (chunk) => {
    text = (text + chunk.toString('latin1')).slice(-2000)
  })
  return () => text
}
