import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { root } from '../bundle/places.mjs'

/**
 * Starts the steps in order, at most `atOnce` at a time, and prints the output of failed steps. Resolves to the names
 * of the failed ones, in the order of the steps.
 */
export async function runSteps(steps, atOnce = 1) {
  const left = [...steps]
  const failed = new Set()
  const worker = async () => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      if (!(await passes(step))) failed.add(step.name)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return steps.map(({ name }) => name).filter((name) => failed.has(name))
}

async function passes({ name, command }) {
  const startedAt = performance.now()
  const { code, output } = await runQuietly(command)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  // A single write keeps the output of a step below its name while others end.
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)${code === 0 ? '' : `\n${output}`}`)
  return code === 0
}

// The compiler and the bundler are written in Go; a fifth of their CPU goes into collecting garbage at its default, 100.
const env = { GOGC: '400', ...process.env }

async function runQuietly([file, ...args]) {
  const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: -1, reason: error.message }))
    child.once('close', (code) => resolve({ code: code ?? -1, reason: '' }))
  })
  const [stdout, stderr, { code, reason }] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, output: `${stdout}${stderr}${reason}` }
}
