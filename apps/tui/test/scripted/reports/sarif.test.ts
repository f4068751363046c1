import { expect, test } from 'vitest'
import { sarifOf } from '../../../src/scripted/reports/sarif.ts'

test('a finding names its file by a relative URI, whatever the model wrote', () => {
  const finding = { severity: 'low', title: 'A', why: 'B' } as const
  const files = ['src/ä b#1.ts', 'https://example.com/x', 'half \ud800.ts']
  const log = JSON.parse(
    sarifOf({ findings: files.map((file) => ({ ...finding, file })), notLookedAt: [], fromTop: (file) => file }, '1'),
  )
  const uris = log.runs[0].results.map(
    (result: { locations: { physicalLocation: { artifactLocation: { uri: string } } }[] }) =>
      result.locations[0]?.physicalLocation.artifactLocation.uri,
  )
  expect(uris).toEqual(['src/%C3%A4%20b%231.ts', 'https%3A//example.com/x', 'half%20%EF%BF%BD.ts'])
})
