import { type DiskRecording, describeTree, lossesOf, recordDisk, treeAfter, writeTree } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../engine/support/test-server.ts'
import { checkImage } from './check-image.ts'
import type { Fact } from './facts.ts'
import { lives, tellingPlace } from './lives.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
/** Disks that are looked at in each life; in long runs so many after every operation. */
const disks = isLong ? 4 : 7
/** First of the numbers that choose what is lost; a failure names its own. */
const firstLoss = Number(process.env['PARLEY_POWER_SEED'] ?? 1)

async function recorded(place: TestPlace, name: string): Promise<DiskRecording> {
  using recorder = await recordDisk(place.root)
  const tell = (fact: Fact) => recorder.note(fact)
  await lives[name]?.({ place: tellingPlace(place, tell), tell })
  return recorder.recording
}

function factsBefore({ operations }: DiskRecording, length: number): readonly Fact[] {
  return operations.slice(0, length).flatMap((one) => (one.kind === 'note' ? [one.note as Fact] : []))
}

/** Returns after how many operations power is lost, and the number of what the disk loses. */
function losses({ operations }: DiskRecording): readonly (readonly [length: number, loss: number])[] {
  const lengths = operations.flatMap(({ kind }, index) => (kind === 'note' ? [] : [index + 1]))
  const stride = isLong ? 1 : lengths.length / disks
  const chosen = Array.from(
    { length: Math.floor(lengths.length / stride) },
    (_, nth) => lengths[Math.floor(nth * stride)] ?? 0,
  )
  const all = isLong ? chosen.flatMap((length) => Array.from({ length: disks }, () => length)) : chosen
  return all.map((length, nth) => [length, firstLoss + nth] as const)
}

function described(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'actual' in error ? JSON.stringify(error.actual) : `${error.message} ${JSON.stringify(error)}`
}

describe('a loss of power at any moment', () => {
  it.each(Object.keys(lives))('keeps what was promised: %s', { timeout: isLong ? 900_000 : 60_000 }, async (name) => {
    await using place = testPlace()
    const recording = await recorded(place, name)
    const failures: string[] = []
    for (const [length, lost] of losses(recording)) {
      writeTree(place.root, treeAfter(recording, length, lossesOf(lost)))
      try {
        const before = describeTree(treeAfter(recording, length, () => true))
        await checkImage(place, { facts: factsBefore(recording, length), before })
      } catch (error) {
        failures.push(`after operation ${length}, losses ${lost}: ${described(error)}`)
      }
    }
    expect(failures).toEqual([])
  })
})
