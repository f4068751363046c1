import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TempHome, tempHome } from '@parley/testkit'
import { expect, test } from 'vitest'
import { connect, spawnServer } from '../../src/index.ts'
import { connectClient } from '../../src/low-level.ts'

function spawnNode(home: TempHome, script: string) {
  return spawnServer({
    command: [process.execPath, '-e', script],
    env: { ...process.env, ...home.env },
    home: home.env.PARLEY_HOME,
  })
}

const logOf = (home: TempHome) => join(home.env.PARLEY_HOME, 'logs', 'server.stderr.log')

test('a server that ends says how, and what it wrote to stderr', async () => {
  await using home = await tempHome()
  const server = spawnNode(home, 'console.error("no good"); process.exit(3)')
  expect(await server.exited).toEqual({ code: 3, signal: null })
  expect(server.stderrTail()).toEqual({ text: 'no good', path: logOf(home) })
  expect((await stat(logOf(home))).mode & 0o777).toBe(0o600)
  await server.transport.close()
})

test('a server of our own is started for as much as it is told', async () => {
  await using home = await tempHome()
  const script = 'console.error(process.argv.slice(1).join(" ")); process.exit(3)'
  const spawn = {
    command: [process.execPath, '-e', script, '--'] as const,
    env: { ...process.env, ...home.env },
    maxSandbox: 'danger-full-access' as const,
    allowNever: true,
  }
  await expect(connect({ spawn })).rejects.toThrow('--max-sandbox danger-full-access --allow-never')
})

test('only what this server said counts, however much is in the log', async () => {
  await using home = await tempHome()
  await spawnNode(home, 'console.error("before")').exited
  const server = spawnNode(home, '')
  await server.exited
  expect(server.stderrTail()).toBeNull()
  expect(await readFile(logOf(home), 'utf8')).toBe('before\n')
})

test('a log that has grown large is begun anew', async () => {
  await using home = await tempHome()
  await spawnNode(home, '').exited
  await writeFile(logOf(home), 'x'.repeat(1 << 21))
  await spawnNode(home, 'console.error("after")').exited
  expect(await readFile(logOf(home), 'utf8')).toBe('after\n')
})

test('a server whose log cannot be written starts all the same, and is heard', async () => {
  await using home = await tempHome()
  await writeFile(join(home.env.PARLEY_HOME, 'logs'), '')
  const server = spawnNode(home, 'console.error("heard")')
  expect(await server.exited).toEqual({ code: 0, signal: null })
  expect(server.stderrTail()).toEqual({ text: 'heard', path: null })
})

test('a server leaves when our end of the connection closes', async () => {
  await using home = await tempHome()
  const server = spawnNode(home, 'process.stdin.resume()')
  await server.transport.close()
  expect(await server.exited).toEqual({ code: 0, signal: null })
})

test('a program that is not there is told as an exit without a code', async () => {
  await using home = await tempHome()
  const server = spawnServer({ command: ['/nowhere/node'], env: {}, home: home.env.PARLEY_HOME })
  const client = connectClient({
    transport: server.transport,
    clientInfo: { name: 'test', version: '0' },
    canApprove: false,
  })
  await expect(client).rejects.toMatchObject({ data: { code: 'connectionClosed' } })
  expect(await server.exited).toEqual({ code: null, signal: null, errno: 'ENOENT' })
})
