import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { root } from '../bundle/places.mjs'

/** Runs the steps one after another; prints the output of those that fail. Resolves to the names of the failed ones. */
export async function runSteps(steps) {
  const failed = []
  for (const { name, command } of steps) {
    const startedAt = performance.now()
    const { code, output } = await runQuietly(command)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
    if (code === 0) continue
    console.log(output)
    failed.push(name)
  }
  return failed
}

async function runQuietly([file, ...args]) {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1' }
  const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: -1, reason: error.message }))
    child.once('close', (code) => resolve({ code: code ?? -1, reason: '' }))
  })
  const [stdout, stderr, { code, reason }] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, output: `${stdout}${stderr}${reason}` }
}
