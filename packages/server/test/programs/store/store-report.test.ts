import type { Comparison, Extent } from '@parley/engine/shared-store'
import { expect, test } from 'vitest'
import { lineOf, outcomeOfCopy } from '../../../src/programs/store/store-report.ts'

const here: Extent = { lines: 7, bytes: 900, hash: 'a'.repeat(64), sideFiles: 0, damagedLines: 0 }
const compared: Comparison = {
  stored: null,
  here,
  partsAtLine: null,
  isCopy: false,
  badFiles: [],
  isListed: false,
  unsent: null,
  lostBytes: 0,
}
const said = (lines: number, bytes: number) =>
  lineOf(
    outcomeOfCopy('0a1b2c3d-0000-7000-8000-000000000000', { judged: { kind: 'copy', lines, bytes }, compared }, true),
  )

test('a copy that would be of a whole log says its counts once, and one of the rest says those, too', () => {
  expect(said(7, 900).match(/lines/g)).toHaveLength(1)
  expect(said(2, 300)).toContain('2 lines, 300 bytes')
})
