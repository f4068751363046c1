import { residentMiB, treeOf } from './process-tree.mjs'

const intervalMs = 20

/**
 * Watches the memory of a process tree until `stop`, which returns the most that all of it took at once. A process
 * counts when it is seen twice: one that has just been forked passes for a copy of its parent until it runs its own
 * program.
 */
export function watchMemory(rootsOf) {
  let peakMiB = 0
  let seen = new Set()
  const look = () => {
    const pids = rootsOf().flatMap(treeOf)
    peakMiB = Math.max(peakMiB, residentMiB(pids.filter((pid) => seen.has(pid))))
    seen = new Set(pids)
  }
  const timer = setInterval(look, intervalMs)
  return {
    stop() {
      clearInterval(timer)
      look()
      return peakMiB
    },
  }
}
