import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** Environment variable that marks everything a test starts; children inherit it. */
export const markVariable = 'PARLEY_TESTKIT_MARK'

export const newMark = (): string => randomUUID()

/** False for a zombie too: it runs nothing any more. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || !/^State:\s+Z/m.test(readProcess(pid, 'status'))
}

/** Processes whose environment carries the mark, this one excepted. Double forks and setsid do not hide a process. */
export function descendantsWithMark(mark: string): number[] {
  const needle = `${markVariable}=${mark}`
  const pids = process.platform === 'linux' ? linuxPidsWith(needle) : otherPidsWith(needle)
  return pids.filter((pid) => pid !== process.pid && isAlive(pid))
}

/** The command line of a process, for messages; empty when it has gone. */
export function commandOf(pid: number): string {
  if (process.platform === 'linux') return readProcess(pid, 'cmdline').replaceAll('\0', ' ').trim()
  return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim()
}

/** Kills what carries the mark until nothing is left: a process may fork while it is being killed. */
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
    // It ended by itself between the look and the kill.
  }
}

function linuxPidsWith(needle: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && `\0${readProcess(pid, 'environ')}`.includes(`\0${needle}\0`))
}

function otherPidsWith(needle: string): number[] {
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
