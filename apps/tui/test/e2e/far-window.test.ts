import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cliPath, tempDirectory, waitUntil } from '@parley/testkit'
import { expect, test } from 'vitest'
import { place } from './interactive-program.ts'

/** The section of a configuration whose program writes a status line, and leaves a file behind. */
function statusLine(words: string, file: string): string {
  return `[tui]\nstatus_line = ["sh", "-c", "touch ${file}; echo ${words}"]`
}

test('a window at a server of others runs the programs of its own configuration, and none of theirs', async () => {
  await using marks = await tempDirectory()
  const [theirs, own] = [join(marks.path, 'theirs'), join(marks.path, 'own')]
  const tokenFile = join(marks.path, 'token')
  await using there = await place([{ text: 'Well.' }], statusLine('theirs', theirs))
  await using here = await place([], statusLine('mine', own))
  const listen = ['server', '--listen', 'ws://127.0.0.1:0', '--token-file', tokenFile]
  const env = { ...process.env, ...there.home.env, TEST_KEY: 'key' }
  const server = spawn(process.execPath, [cliPath, ...listen], { env, cwd: there.folder.path })
  await using _server = { [Symbol.asyncDispose]: async () => void server.kill() }
  let said = ''
  server.stderr.on('data', (chunk) => (said += chunk))
  const address = await waitUntil(() => /ws:\/\/[\d.:]+/.exec(said)?.[0], { what: 'the address of the server' })
  await using window = here.start('--server', address, '--token-file', tokenFile, '--cd', there.folder.path, 'go')
  await window.waitFor(/Well\./)
  await window.waitFor(/mine|theirs/)
  window.press('Ctrl+D')
  await window.exited
  expect([existsSync(theirs), existsSync(own)]).toEqual([false, true])
})
