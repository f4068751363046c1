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
  async measure(context) {
    const { run, gaps } = await runCalls(context, count)
    return { early: around(gaps, 10), late: around(gaps, 500), growth: slope(gaps) * 1000, memory: run.peakMiB }
  },
}

/** Resolves to the run of a conversation with so many calls, and the time of each. */
async function runCalls({ program, model, place }, calls, flags = []) {
  await model.play({ play: 'calls', count: calls })
  const run = await runMetered([program.launcher, 'exec', ...flags, 'go'], { env: place.env, cwd: place.workspace })
  const { notes } = await model.notes()
  return { run, gaps: notes.slice(1).map(({ arrivedMs }, index) => arrivedMs - notes[index].lastByteMs) }
}

const longCount = 2000

/** Measures the same in a conversation of 2,000 calls. */
export const growth = {
  name: 'growth',
  runs: 1,
  rows: {
    late: { what: 'a tool call, around call 1,990', unit: 'ms', budget: 26, aim: 11 },
    growth: { what: 'growth per 1,000 calls, to 2,000', unit: 'ms', budget: 7, aim: 2 },
    cpu: { what: '2,000 calls, processor time of each', unit: 'ms' },
    memory: { what: '2,000 calls, peak memory of all processes', unit: 'MiB' },
  },
  async measure(context) {
    const { run, gaps } = await runCalls(context, longCount)
    const late = around(gaps, longCount - 10)
    return { late, growth: slope(gaps) * 1000, cpu: run.cpuMs / longCount, memory: run.peakMiB }
  },
}

const limitedCount = 100

/** Measures the same under the default limits. */
export const limitedToolCalls = {
  name: 'limited-calls',
  runs: 3,
  rows: { call: { what: 'a tool call in the sandbox', unit: 'ms', budget: 30 } },
  async measure(context) {
    const limits = ['--sandbox', 'workspace-write', '--ask-for-approval', 'on-request']
    const { gaps } = await runCalls(context, limitedCount, limits)
    return { call: median(gaps.slice(5)) }
  },
}
