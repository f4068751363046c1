import { expect, test } from 'vitest'
import { countResults } from './count-results.mjs'

const file = (name: string, status: string, ...statuses: string[]) => ({
  name,
  status,
  assertionResults: statuses.map((one, index) => ({ status: one, fullName: `case ${index}` })),
})

test('passed and failed tests are counted, skipped ones are neither', () => {
  const report = { testResults: [file('a', 'failed', 'passed', 'failed', 'skipped'), file('b', 'passed', 'passed')] }
  expect(countResults(report, 1)).toEqual({ passed: 2, failed: 1, failures: ['a > case 1'] })
})

test('a file that does not load is a failure', () => {
  const report = { testResults: [file('a', 'failed')] }
  expect(countResults(report, 1)).toEqual({ passed: 0, failed: 1, failures: ['a could not be loaded'] })
})

test('a run that ends badly without a failed test is a failure', () => {
  const report = { testResults: [file('a', 'passed', 'passed')] }
  expect(countResults(report, 1)).toEqual({ passed: 1, failed: 1, failures: ['errors outside of any test'] })
})

test('a run without a report is a failure', () => {
  expect(countResults(undefined, 1)).toMatchObject({ passed: 0, failed: 1 })
})
