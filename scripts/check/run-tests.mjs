import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import * as processes from '../../packages/testkit/src/processes.ts'
import { root } from '../bundle/places.mjs'
import { countResults, readReport } from './count-results.mjs'
import { inMemory } from './in-memory.mjs'

/** Long runs (`npm run test:soak`) may take hours. */
const limitMs = (process.env.PARLEY_LONG_TESTS === '1' ? 6 * 60 : 30) * 60_000
const workers = Math.min(8, 2 * availableParallelism())
/** Time after the last test for processes to end. */
const graceMs = 15_000
const cache = join(root, 'node_modules/.cache')

/** Runs vitest over all projects, with its report on the terminal. Resolves to the counts. */
export async function runTests() {
  // Not among the temporary files of tests, which only they see.
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'results-'))
  const report = join(folder, 'results.json')
  const { exitCode, leftovers } = await runVitest(report)
  const counts = countResults(readReport(report), exitCode, (file) => relative(root, file))
  rmSync(folder, { recursive: true })
  const failures = [...counts.failures, ...leftovers.map((command) => `left running: ${command}`)]
  return { passed: counts.passed, failed: failures.length, failures }
}

/** Runs vitest, then kills processes that tests left: one that holds a worker's pipe would keep vitest waiting. */
async function runVitest(report) {
  const mark = processes.newMark()
  const args = ['run', '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
  // On two cores vitest takes one worker, though half of the time tests wait for processes. Projects ignore the root's config.
  const env = {
    VITEST_MAX_WORKERS: `${workers}`,
    PARLEY_WHOLE_SUITE: '1',
    ...process.env,
    [processes.markVariable]: mark,
  }
  const [file, ...words] = inMemory([join(root, 'node_modules/.bin/vitest'), ...args])
  const child = spawn(file, words, {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const closed = once(child, 'close')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  await waitFor(() => hasEnded() || existsSync(report), limitMs)
  await waitFor(() => processes.descendantsWithMark(mark).length === 0, graceMs)
  const commands = processes.descendantsWithMark(mark).map(processes.commandOf)
  const leftovers = commands.filter((command) => !command.includes('vitest'))
  processes.killMarked(mark)
  await closed
  return { exitCode: leftovers.length > 0 ? 0 : child.exitCode, leftovers }
}

async function waitFor(condition, timeoutMs) {
  const deadline = performance.now() + timeoutMs
  while (!condition() && performance.now() < deadline) await delay(50)
}
