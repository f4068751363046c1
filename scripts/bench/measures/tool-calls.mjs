import { runMetered } from '../run-metered.mjs'
import { median, slope } from '../statistics.mjs'

const count = 600
const around = (gaps, nth) => median(gaps.slice(nth - 5, nth + 5))

/** Measures the time from the last byte of a response to the next request, with one unsandboxed `echo` between. */
export const toolCalls = {
  name: 'calls',
  runs: 3,
  rows: {
    early: { what: 'a tool call, around call 10', unit: 'ms', budget: 12, aim: 7 },
    late: { what: 'a tool call, around call 500', unit: 'ms', budget: 12, aim: 7 },
    growth: { what: 'growth per 1,000 calls', unit: 'ms', budget: 7, aim: 2 },
    memory: { what: `${count} calls, peak memory of all processes`, unit: 'MiB' },
  },
  async measure({ program, model, place }) {
    await model.play({ play: 'calls', count })
    const run = await runMetered([program.launcher, 'exec', 'go'], { env: place.env, cwd: place.workspace })
    const { notes } = await model.notes()
    const gaps = notes.slice(1).map(({ arrivedMs }, index) => arrivedMs - notes[index].lastByteMs)
    return { early: around(gaps, 10), late: around(gaps, 500), growth: slope(gaps) * 1000, memory: run.peakMiB }
  },
}

const limitedCount = 100

/** Measures the same under the default limits. */
export const limitedToolCalls = {
  name: 'limited-calls',
  runs: 3,
  rows: { call: { what: 'a tool call in the sandbox', unit: 'ms', budget: 30 } },
  async measure({ program, model, place }) {
    await model.play({ play: 'calls', count: limitedCount })
    const limits = ['--sandbox', 'workspace-write', '--ask-for-approval', 'on-request']
    await runMetered([program.launcher, 'exec', ...limits, 'go'], { env: place.env, cwd: place.workspace })
    const { notes } = await model.notes()
    const gaps = notes.slice(1).map(({ arrivedMs }, index) => arrivedMs - notes[index].lastByteMs)
    return { call: median(gaps.slice(5)) }
  },
}
