/**
 * Runs every check (`npm test`); a failed one does not stop the others. The last line of stdout is only
 * `N passed, N failed`, and the exit code says the same. A failed step counts as one failure beside the tests'.
 */
import { runSteps } from './check/run-steps.mjs'
import { runTests } from './check/run-tests.mjs'
import { checks, install, preparations } from './check/steps.mjs'

const failedSteps = await runSteps([install])
// Steps that the tests do not need run at the same time as the steps that they need, and as the tests.
const checked = runSteps(checks())
failedSteps.push(...(await runSteps(preparations(), 2)))
const tests = await runTests()
failedSteps.push(...(await checked))
const failures = [...failedSteps, ...tests.failures]
if (failures.length > 0) console.log(`\nfailed:\n${failures.map((name) => `  ${name}`).join('\n')}`)
const failed = failedSteps.length + tests.failed
process.exitCode = failed === 0 ? 0 : 1
console.log(`\n${tests.passed} passed, ${failed} failed`)
