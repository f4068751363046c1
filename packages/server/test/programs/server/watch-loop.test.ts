import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const program = fileURLToPath(import.meta.resolve('../../fixtures/blocked-program.ts'))

it('a blocked event loop is a line of the log, and its stack another once it has been blocked before', async () => {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = (await text(child.stdout)).trim().split('\n')
  expect(lines[0]).toMatch(
    /^The event loop was blocked for \d+\.\d s, \d+\.\d s of it by work of its own\. From now on/,
  )
  expect(lines.at(-1)).toMatch(/^The event loop was blocked here: .*blockFor blocked-program\.ts:\d+:\d+/)
})

it('a block that does not end has its stack on stderr', async () => {
  const child = spawn(process.execPath, [program, 'forEver'], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  // Node may warn about variables of this machine first.
  for await (const part of child.stderr.setEncoding('utf8')) {
    said += part
    if (said.includes('blocked here: ') && said.endsWith('\n')) child.kill('SIGKILL')
  }
  expect(said).toMatch(/^The event loop is blocked here: .*blockFor blocked-program\.ts:\d+:\d+/m)
})
