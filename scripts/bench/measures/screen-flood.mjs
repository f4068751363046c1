import { sleep } from '../clock.mjs'
import { cpuMs, residentMiB, treeOf } from '../process-tree.mjs'
import { startTerminal } from '../terminal.mjs'
import { composerMark } from './screen-start.mjs'

const count = 20_000
/** Text of the last delta. */
const lastDelta = `w${count - 1} `
const settleMs = 1500

export const screenFlood = {
  name: 'screen-flood',
  runs: 5,
  rows: {
    time: { what: 'terminal: flood of 20,000 deltas', unit: 'ms', budget: 1500, aim: 800 },
    cpu: { what: 'same, CPU of all processes', unit: 's', budget: 2, aim: 1.2 },
    memory: { what: 'same, memory of all processes afterwards', unit: 'MiB', budget: 180, aim: 150 },
    written: { what: 'same, written to the terminal', unit: 'MiB', budget: 0.8, aim: 0.5 },
  },
  async measure({ program, model, place }) {
    await using terminal = startTerminal([program.launcher], place)
    await terminal.sees(composerMark)
    await sleep(settleMs)
    await model.play({ play: 'flood', count })
    const pids = treeOf(terminal.pid)
    const before = { cpuMs: cpuMs(pids), bytes: terminal.byteCount() }
    const done = terminal.sees(lastDelta)
    terminal.type('go\r')
    const doneMs = await done
    const [note] = (await model.notes()).notes
    await sleep(settleMs)
    return {
      time: doneMs - note.arrivedMs,
      memory: residentMiB(pids),
      cpu: (cpuMs(pids) - before.cpuMs) / 1000,
      written: (terminal.byteCount() - before.bytes) / 1024 / 1024,
    }
  },
}
