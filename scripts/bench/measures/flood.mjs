import { runMetered } from '../run-metered.mjs'

const count = 100_000

/** Measures until the process exits, when everything is written. */
function floodMeasure({ name, what, args, budget, aim }) {
  return {
    name,
    runs: 5,
    rows: {
      rate: { what: `flood of 100,000 deltas, ${what}`, unit: 'k/s', more: true, budget, aim },
      memory: { what: 'same, peak memory of all processes', unit: 'MiB', budget: 180, aim: 130 },
    },
    async measure({ program, model, place }) {
      await model.play({ play: 'flood', count })
      const argv = [program.launcher, 'exec', ...args, 'go']
      const { endedMs, peakMiB } = await runMetered(argv, { env: place.env, cwd: place.workspace })
      const [note] = (await model.notes()).notes
      return { rate: count / (endedMs - note.firstDeltaMs), memory: peakMiB }
    },
  }
}

export const floodText = floodMeasure({ name: 'flood-text', what: 'text', args: [], budget: 90, aim: 150 })
export const floodJson = floodMeasure({ name: 'flood-json', what: 'JSON', args: ['--json'], budget: 70, aim: 120 })
