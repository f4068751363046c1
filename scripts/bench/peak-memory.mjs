import { residentMiB, treeOf } from './process-tree.mjs'

const intervalMs = 20

/** Watches the memory of a process tree until `stop`, which returns the most that all of it took at once. */
export function watchMemory(rootsOf) {
  let peakMiB = 0
  const look = () => {
    peakMiB = Math.max(peakMiB, residentMiB(rootsOf().flatMap(treeOf)))
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
