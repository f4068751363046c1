import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { signalGroup } from '../../signals.ts'
import type { WrappedCommand } from '../sandbox.ts'

export interface WrappedEnd {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly tooLong: boolean
}

const maxChars = 64 * 1024

/** A short command whose end and words are wanted. Rejects when it cannot be started. */
export async function runWrapped(wrapped: WrappedCommand, timeLimitMs: number): Promise<WrappedEnd> {
  const child = start(wrapped)
  const { pid } = child
  let tooLong = false
  const timer = setTimeout(() => {
    tooLong = true
    if (pid !== undefined) signalGroup(pid, 'SIGKILL')
  }, timeLimitMs)
  try {
    const [exitCode, stdout, stderr] = await Promise.all([ended(child), text(child.stdout), text(child.stderr)])
    return { exitCode, stdout, stderr, tooLong }
  } finally {
    clearTimeout(timer)
    wrapped.watch?.close()
  }
}

function start({ argv, cwd, env, extraFds = [] }: WrappedCommand): ChildProcess {
  try {
    const [program = '', ...args] = argv
    return spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe', ...extraFds] })
  } finally {
    for (const fd of extraFds) closeSync(fd)
  }
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode) => resolve(exitCode))
  })
}

async function text(stream: ChildProcess['stdout']): Promise<string> {
  let all = ''
  stream?.setEncoding('utf8')
  for await (const chunk of stream ?? []) if (all.length < maxChars) all += String(chunk)
  return all
}
