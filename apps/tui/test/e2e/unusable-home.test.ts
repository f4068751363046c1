import { existsSync } from 'node:fs'
import { chmod, copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cliPath, commandOf, smallDisk, startProgram, startPty } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { execWorld, jsonRun } from './exec-world.ts'

/** A folder of the process itself, whose mode nobody can change, as on a read-only disk. */
const home = '/proc/self/task'
const hasFolder = existsSync(home)
const sentence =
  /^parley[a-z -]*: The home \/proc\/self\/task is open to other users .* and cannot be made yours alone: \S.*\. Mount it writable, or set PARLEY_HOME to .*\n$/

describe.runIf(hasFolder)('a home on a disk that takes no change ends with 9 and one sentence:', () => {
  test.concurrent.each([
    ['exec', 'hi'],
    ['list'],
    ['show', 'any'],
    ['config'],
    ['search', 'any'],
    ['server'],
    ['server', '--listen', 'unix:none.sock'],
    ['mcp-server'],
    ['acp'],
    ['app-server'],
  ])('%s %s %s', async (...args) => {
    await using world = await execWorld()
    const env = { ...world.env, PARLEY_HOME: home }
    await using run = startProgram([process.execPath, cliPath, ...args], { env, cwd: world.cwd, stdin: '' })
    const { exitCode, stderr } = await run.result
    expect({ exitCode, stderr }).toEqual({ exitCode: 9, stderr: expect.stringMatching(sentence) })
  })

  test('exec --json, in its last line', async () => {
    await using world = await execWorld()
    const env = { ...world.env, PARLEY_HOME: home }
    const run = await world.spawn(['--json', 'hi'], { env })
    expect(jsonRun(run).end).toMatchObject({ exitCode: 9, failure: { code: 'storageFailed' } })
  })

  test('a window, whose terminal is as before', async () => {
    await using world = await execWorld()
    const env = { ...world.env, PARLEY_HOME: home }
    await using pty = startPty({ argv: [process.execPath, cliPath], env, cwd: world.cwd })
    expect(await pty.exited).toMatchObject({ exitCode: 9 })
    expect(pty.terminal.transcript().join(' ')).toContain('cannot be made yours alone')
  })

  test('a daemon, whose log cannot be made', async () => {
    await using world = await execWorld()
    const env = { ...world.env, PARLEY_HOME: home }
    await using run = startProgram([process.execPath, cliPath, 'server', '--daemon'], { env, cwd: world.cwd })
    const { exitCode, stderr } = await run.result
    expect({ exitCode, stderr }).toEqual({ exitCode: 9, stderr: expect.stringContaining(`Its log ${home}/logs`) })
  })
})

test('a server that has something to say as it starts on a full disk is not ended by that', async (context) => {
  await using world = await execWorld({ steps: [{ text: 'Fine.' }] })
  const place = world.path('small')
  using disk = smallDisk(place, 64 * 1024)
  context.skip(disk === null, 'no file system can be mounted here')
  await copyFile(join(world.env.PARLEY_HOME, 'config.toml'), join(place, 'config.toml'))
  // The server says that it closes the folder to others, into a file on this disk.
  await chmod(place, 0o755)
  await expect(writeFile(join(place, 'filling'), Buffer.alloc(128 * 1024))).rejects.toThrow('ENOSPC')
  const { exitCode, stderr } = await world.spawn(['hi'], { env: { ...world.env, PARLEY_HOME: place } })
  expect({ exitCode, stderr }).toEqual({ exitCode: 9, stderr: expect.stringContaining('The disk is full. Make room') })
})

test.runIf(existsSync('/proc/self/cmdline'))('SIGUSR1 opens no debugger in any Node process', async () => {
  await using world = await execWorld({ steps: [{ hang: 'mid', text: 'half of it', chunks: 4 }] })
  await using run = world.start(['--json', 'hi'])
  await expect.poll(run.stdout, { timeout: 30_000 }).toContain('item.delta')
  const servers = run.processes().filter((pid) => commandOf(pid).includes('server.mjs'))
  expect(servers.map((pid) => commandOf(pid).includes('--disable-sigusr1'))).toEqual([true])
  for (const pid of servers) process.kill(pid, 'SIGUSR1')
  run.signal('SIGINT')
  expect(await run.result).toMatchObject({ exitCode: 130 })
  expect(await world.shell('cat "$PARLEY_HOME"/logs/*')).not.toMatchObject({
    stdout: expect.stringContaining('Debugger'),
  })
})
