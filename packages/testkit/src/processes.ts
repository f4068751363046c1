import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** Environment variable that marks every process of a test by its value; children inherit it. */
export const markVariable = 'PARLEY_TESTKIT_ID'

export const newMark = (): string => randomUUID()

/** Checks that a process exists and, on Linux, that it is no zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || !/^State:\s+Z/m.test(readProcess(pid, 'status'))
}

/** Lists live processes with the mark in their environment, except this one. Finds them also after a double fork or setsid. */
export function descendantsWithMark(mark: string): number[] {
  const needle = `${markVariable}=${mark}`
  const pids = process.platform === 'linux' ? linuxPidsWith(needle) : psPidsWith(needle)
  return pids.filter((pid) => pid !== process.pid && isAlive(pid))
}

/** Returns the command line of a process, empty when the process has ended. */
export function commandOf(pid: number): string {
  if (process.platform === 'linux') return readProcess(pid, 'cmdline').replaceAll('\0', ' ').trim()
  return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim()
}

/** Describes a process for the message of a failure: its state, signals that it has not taken, and its command. */
export function describeProcess(pid: number): string {
  const status = readProcess(pid, 'status')
  const [state, pending] = ['State', 'ShdPnd'].map((name) => new RegExp(`^${name}:\\s+(.+)$`, 'm').exec(status)?.[1])
  return `${pid} ${state ?? 'unknown'}, pending signals ${pending ?? 'unknown'}: ${commandOf(pid)}`
}

/** Kills the marked processes, in up to 20 rounds, because a process may fork while it is killed. */
export function killMarked(mark: string): void {
  for (let round = 0; round < 20; round++) {
    const pids = descendantsWithMark(mark)
    if (pids.length === 0) return
    for (const pid of pids) killNow(pid)
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process ended between the listing and the kill.
  }
}

function linuxPidsWith(needle: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && `\0${readProcess(pid, 'environ')}`.includes(`\0${needle}\0`))
}

function psPidsWith(needle: string): number[] {
  const table = execFileSync('ps', ['eww', '-axo', 'pid=,command='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return table
    .split('\n')
    .filter((line) => line.includes(needle))
    .map((line) => Number.parseInt(line, 10))
}

function readProcess(pid: number, file: 'cmdline' | 'environ' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Variables of the machine that change how a program under test behaves. */
const inheritedSettings =
  /^(CI|NO_COLOR|FORCE_COLOR|COLORTERM|TMUX.*|NODE_OPTIONS|NODE_ENV|VITEST.*|.*_API_KEY|.*_PROXY|.*_proxy|PARLEY_.*|CODEX_.*|XDG_.*)$/

export type EnvVariables = Readonly<Record<string, string | undefined>>

/** Returns the environment of this process without `inheritedSettings`, overlaid with `overlay` (`undefined` removes a variable). */
export function cleanEnvironment(overlay: EnvVariables = {}): Record<string, string> {
  const clean: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !inheritedSettings.test(name)) clean[name] = value
  }
  for (const [name, value] of Object.entries(overlay)) {
    if (value === undefined) delete clean[name]
    else clean[name] = value
  }
  return clean
}
