import { readFileSync } from 'node:fs'

/** Reads the report of a run; undefined where vitest ended before it could write one. */
export function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Counts the results of vitest's JSON report. A file that could not be loaded counts as one failure, and so does a run
 * that failed outside of any test (an unhandled rejection, a crash).
 */
export function countResults(report, exitCode, nameOf = (file) => file) {
  if (report === undefined) return { passed: 0, failed: 1, failures: ['the test run itself'] }
  const tests = report.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({ ...test, file: file.name })),
  )
  const broken = tests.filter((test) => test.status === 'failed')
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  const failures = [
    ...broken.map((test) => `${nameOf(test.file)} > ${test.fullName}`),
    ...unloaded.map((file) => `${nameOf(file.name)} could not be loaded`),
  ]
  if (failures.length === 0 && exitCode !== 0) failures.push('errors outside of any test')
  const passed = tests.filter((test) => test.status === 'passed').length
  return { passed, failed: failures.length, failures }
}
