import { readdirSync, readFileSync } from 'node:fs'
import { sleep } from './clock.mjs'

/** Lists a process and its descendants. Outside of Linux the list is empty, and every figure below is NaN. */
export function treeOf(pid) {
  return [pid, ...childrenOf(pid).flatMap(treeOf)]
}

export function childrenOf(pid) {
  return attempt(() => readdirSync(`/proc/${pid}/task`), []).flatMap((task) =>
    attempt(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'), '')
      .split(' ')
      .filter((word) => word !== '')
      .map(Number),
  )
}

/** Returns the resident memory of the processes, as `top` shows it: shared pages count once for each. */
export function residentMiB(pids) {
  return (
    sum(pids.map((pid) => Number(attempt(() => readFileSync(`/proc/${pid}/statm`, 'utf8'), '').split(' ')[1] ?? 0))) *
    pageMiB
  )
}

/** Returns user and system time of the processes and of ended children, in steps of 10 ms. */
export function cpuMs(pids) {
  return sum(pids.map((pid) => sum(statFields(pid).slice(11, 15).map(Number)))) * tickMs
}

/** Resolves to the memory of a process and its descendants once they have settled, and their CPU over some time in %. */
export async function watchIdle(pid, settleMs, watchedMs) {
  await sleep(settleMs)
  const pids = treeOf(pid)
  const beforeMs = cpuMs(pids)
  await sleep(watchedMs)
  return { memory: residentMiB(pids), cpu: ((cpuMs(pids) - beforeMs) / watchedMs) * 100 }
}

const pageMiB = process.platform === 'linux' ? 4 / 1024 : Number.NaN
const tickMs = process.platform === 'linux' ? 10 : Number.NaN

/** Returns the fields after the program's name, which may contain blanks and brackets. */
function statFields(pid) {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0)
}

/** Returns `otherwise` if reading fails: a process may end meanwhile. */
function attempt(read, otherwise) {
  try {
    return read()
  } catch {
    return otherwise
  }
}
