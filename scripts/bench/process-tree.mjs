import { readdirSync, readFileSync } from 'node:fs'

/** What Linux tells of a process and its descendants; elsewhere there are no descendants and every figure is NaN. */
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

/** Resident memory of all of them. Pages they share count once for each: what a look at `top` would say. */
export function residentMiB(pids) {
  return (
    sum(pids.map((pid) => Number(attempt(() => readFileSync(`/proc/${pid}/statm`, 'utf8'), '').split(' ')[1] ?? 0))) *
    pageMiB
  )
}

/** User and system time of all of them and of the children they have waited for, in steps of 10 ms. */
export function cpuMs(pids) {
  return sum(pids.map((pid) => sum(statFields(pid).slice(11, 15).map(Number)))) * tickMs
}

const pageMiB = process.platform === 'linux' ? 4 / 1024 : Number.NaN
const tickMs = process.platform === 'linux' ? 10 : Number.NaN

/** The fields after the program's name, which may itself hold blanks and brackets. */
function statFields(pid) {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0)
}

/** A process may end between two looks. */
function attempt(read, otherwise) {
  try {
    return read()
  } catch {
    return otherwise
  }
}
