import { runMetered } from '../run-metered.mjs'

const count = 100_000

function floodMeasure({ name, args, rate }) {
  return {
    name,
    runs: 5,
    rows: {
      rate: { what: `flood of 100,000 deltas, ${name.slice('flood-'.length)}`, unit: 'k/s', more: true, ...rate },
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

/** To the exit of the process: everything is written by then. */
export const floodText = floodMeasure({ name: 'flood-text', args: [], rate: { budget: 90, aim: 150 } })
export const floodJson = floodMeasure({ name: 'flood-json', args: ['--json'], rate: { budget: 70, aim: 120 } })
