import { residentMiB, treeOf } from './process-tree.mjs'

const intervalMs = 20

/**
 * Watches the memory of a process tree until `stop`, which returns its peak in MiB. A process counts from its second
 * sighting, because one that was just forked looks like a copy of its parent.
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
