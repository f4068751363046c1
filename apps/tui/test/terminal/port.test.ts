import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { leaveSequence } from '../../src/terminal/hold-terminal.ts'

const sources = fileURLToPath(new URL('../../src/terminal/', import.meta.url))

/** Runs a process that holds its standard output as a terminal and then does `last`. */
function run(last: string) {
  const script = `
    import { holdTerminal } from '${sources}hold-terminal.ts'
    import { processTerminal } from '${sources}port.ts'
    holdTerminal(processTerminal(1))
    ${last}`
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
}

test.each([
  ['exit', 'process.exit(3)', 3],
  ['an uncaught error', "throw new Error('broken')", 1],
  ['an unhandled rejection', "Promise.reject(new Error('broken'))", 1],
  ['SIGTERM', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)", 143],
])('%s leaves the terminal as it was found', (_, last, code) => {
  const { stdout, status } = run(last)
  expect(stdout.endsWith(leaveSequence())).toBe(true)
  expect(stdout.split(leaveSequence()).length).toBe(2)
  expect(status).toBe(code)
})
