import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { errorMessage } from '@parley/text'
import { signalGroup } from '../../system/signals.ts'
import { mountsDiffer } from '../bubblewrap/inner-shell.ts'
import type { Sandboxes, SandboxLimits, WrappedCommand } from '../sandbox.ts'
import { judgeFindings, parseFindings, probeCommand } from './script.ts'
import { openProbeTargets, type ProbeTargets } from './targets.ts'

export type TrialEnd =
  | { readonly kind: 'holds' }
  /** Limits that did not hold, each as the rest of "it did not …". */
  | { readonly kind: 'leaks'; readonly leaks: readonly string[] }
  /** End without a result: the sandbox could not be set up, or no program ran in it. */
  | { readonly kind: 'broken'; readonly message: string }
  | { readonly kind: 'tooLong' }

export interface Trial {
  readonly prepare: Sandboxes['prepare']
  /** Modes to try, each by one command. */
  readonly modes: readonly SandboxLimits['mode'][]
  /** True when it includes a filter of system calls. */
  readonly filtered: boolean
  /** True when it closes FIFOs of others in `read-only`. */
  readonly closesPipes: boolean
  /** Path of Perl for the probe; null takes Node. */
  readonly perl: string | null
  /** Folder to try in, not for temporary files; null without one. */
  readonly outsideParent: string | null
}

const timeLimitMs = 2000
/** Limit of the second try: the machine may be busy, and the finding holds as long as this process lives. */
const secondLimitMs = 6000

export const bothModes = ['workspace-write', 'read-only'] as const

/** Runs a program that tries to escape the limits, once for each mode, and judges the result. */
export async function tryLimits(trial: Trial): Promise<TrialEnd> {
  const end = await tryWithin(timeLimitMs, trial)
  return end.kind === 'tooLong' ? tryWithin(secondLimitMs, trial) : end
}

async function tryWithin(limitMs: number, trial: Trial): Promise<TrialEnd> {
  try {
    await using ground = await openProbeTargets(trial.outsideParent)
    const ends = await Promise.all(trial.modes.map((mode) => tryMode(mode, ground, { ...trial, limitMs })))
    const failed = ends.find(({ kind }) => kind !== 'holds')
    if (failed !== undefined) return failed
    const leaks = [
      ...(ground.wasReached() ? ['keep it from the network'] : []),
      ...((await ground.wasWritten()) ? ['keep it from writing elsewhere'] : []),
    ]
    return leaks.length === 0 ? { kind: 'holds' } : { kind: 'leaks', leaks }
  } catch (error) {
    return { kind: 'broken', message: errorMessage(error) }
  }
}

async function tryMode(
  mode: SandboxLimits['mode'],
  ground: ProbeTargets,
  { limitMs, ...trial }: Trial & { readonly limitMs: number },
): Promise<TrialEnd> {
  const { root, inside, outside, secret, secretText, port, pipe, node } = ground
  const limits = { mode, writableRoots: [root], network: false, unixSockets: false, masked: [secret], scratch: null }
  const sandbox = await trial.prepare(limits)
  try {
    const args = [inside, outside, secret, secretText, String(port), pipe]
    const wrapped = sandbox.wrap({ argv: probeCommand({ perl: trial.perl, node }, args), env: {}, cwd: '/' })
    return judge(await runWrapped(wrapped, limitMs), mode, trial)
  } finally {
    sandbox.release?.()
  }
}

function judge(end: WrappedEnd, mode: SandboxLimits['mode'], trial: Trial): TrialEnd {
  if (end.tooLong) return { kind: 'tooLong' }
  if (end.exitCode === mountsDiffer) return { kind: 'leaks', leaks: ['mount what it was told to'] }
  const findings = parseFindings(end.stdout)
  if (findings === null) return { kind: 'broken', message: end.stderr.trim() }
  const leaks = judgeFindings(findings, mode, trial)
  return leaks.length === 0 ? { kind: 'holds' } : { kind: 'leaks', leaks }
}

interface WrappedEnd {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly tooLong: boolean
}

const maxChars = 64 * 1024

/** Runs a short command and returns its end and output. Rejects when it cannot be started. */
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
