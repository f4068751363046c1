import { hasFullSandbox } from '@parley/testkit'
import fc from 'fast-check'
import { describe, test, vi } from 'vitest'
import { endings, orphanWorld, type RunThatEnds } from './orphan-world.ts'

// Real processes on a machine that does other things as well.
vi.setConfig({ testTimeout: 60_000 })

/** 100 runs in the long tests. */
const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
const seed = 20260114

const runThatEnds: fc.Arbitrary<RunThatEnds> = fc.record({
  ending: fc.constantFrom(...endings),
  interactive: fc.boolean(),
  sandboxed: fc.boolean(),
  ephemeral: fc.boolean(),
})

const few: readonly RunThatEnds[] = [
  { ending: 'killAll', interactive: false, sandboxed: true, ephemeral: true },
  { ending: 'killBoth', interactive: false, sandboxed: true, ephemeral: true },
  { ending: 'killServer', interactive: true, sandboxed: true, ephemeral: false },
  { ending: 'hangUp', interactive: true, sandboxed: false, ephemeral: true },
  { ending: 'interrupt', interactive: false, sandboxed: true, ephemeral: false },
]

const runs = isLong ? fc.sample(runThatEnds, { seed, numRuns: 100 }) : few

// A partial sandbox asks about such commands.
const asHere = (run: RunThatEnds): RunThatEnds => (hasFullSandbox ? run : { ...run, sandboxed: false })

describe.runIf(process.platform === 'linux')('a run with commands and tool servers leaves nothing', () => {
  test.concurrent.for(runs.map((run, nth) => ({ ...asHere(run), nth })))(
    '$nth: $ending, interactive $interactive, sandboxed $sandboxed, ephemeral $ephemeral',
    async (run, { expect }) => {
      await using world = await orphanWorld(run)
      await world.run()
      const left = () => [...world.processes(), ...world.files()]
      // A guard that is killed as well leaves the rest to the next start.
      if (run.ending !== 'killAll') await expect.poll(left, { timeout: 30_000 }).toEqual([])
      for (let starts = 0; starts < 3 && [...left(), ...world.scratch()].length > 0; starts += 1)
        await world.nextStart()
      await expect.poll(() => [...left(), ...world.scratch()], { timeout: 30_000 }).toEqual([])
    },
  )
})
