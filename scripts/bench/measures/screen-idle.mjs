import { watchIdle } from '../process-tree.mjs'
import { startTerminal } from '../terminal.mjs'
import { composerMark } from './screen-start.mjs'

/** Time until all work after the start is done. */
const settleMs = 4000
const watchedMs = 4000

export const screenIdle = {
  name: 'idle',
  runs: 3,
  rows: {
    memory: { what: 'idle: memory of all processes', unit: 'MiB', budget: 170, aim: 130 },
    cpu: { what: 'idle: CPU of all processes', unit: '%', budget: 0.1, aim: 0 },
  },
  async measure({ program, place }) {
    await using terminal = startTerminal([program.launcher], place)
    await terminal.sees(composerMark)
    return await watchIdle(terminal.pid, settleMs, watchedMs)
  },
}
