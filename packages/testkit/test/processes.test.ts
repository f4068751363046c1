import { expect, test } from 'vitest'
import { commandOf, isAlive, startProgram, waitUntil } from '../src/index.ts'

const node = (script: string): [string, ...string[]] => [process.execPath, '-e', script]

test('a run reports its output, its lines and its exit code', async () => {
  await using run = startProgram(node('console.log("a\\n\\nb"); console.error("c"); process.exitCode = 3'))
  const result = await run.result
  expect(result).toMatchObject({ exitCode: 3, signal: null, stderr: 'c\n' })
  expect(result.lines()).toEqual(['a', 'b'])
})

test('stdin carries the given text and is closed after it', async () => {
  await using run = startProgram(['cat'], { stdin: 'over\n' })
  expect((await run.result).stdout).toBe('over\n')
})

test('stdin stays open until the test closes it', async () => {
  await using run = startProgram(['cat'], { keepStdinOpen: true })
  run.write('one\n')
  await waitUntil(() => run.stdout() === 'one\n', { what: 'the echo' })
  run.closeStdin()
  expect((await run.result).exitCode).toBe(0)
})

test('a program that a signal ends reports the signal', async () => {
  await using run = startProgram(['sleep', '60'])
  run.signal('SIGTERM')
  expect(await run.result).toMatchObject({ exitCode: null, signal: 'SIGTERM' })
})

test('a process is named by its command line while it lives', async () => {
  await using run = startProgram(['sleep', '60'])
  expect(commandOf(run.pid)).toBe('sleep 60')
})

test('a program that does not exist rejects with its name', async () => {
  await using run = startProgram(['no-such-program-here'])
  await expect(run.result).rejects.toThrow('no-such-program-here')
})

test('a run beyond its time limit rejects, says what still ran, and leaves no process', async () => {
  await using run = startProgram(['sleep', '60'], { timeoutMs: 50 })
  await expect(run.result).rejects.toThrow(/longer than 50 ms.*still running:\n\d+ .+: sleep 60$/s)
  expect(run.processes()).toEqual([])
})

test('a descendant in a session of its own dies with its run', async () => {
  const detach =
    'const c = require("child_process").spawn("sleep", ["60"], {detached: true, stdio: "ignore"}); console.log(c.pid)'
  let orphan = 0
  {
    await using run = startProgram(node(`${detach}; c.unref()`))
    orphan = Number((await run.result).stdout)
    expect(run.processes()).toEqual([orphan])
  }
  // The kernel removes a killed process a moment later.
  await waitUntil(() => !isAlive(orphan), { what: 'the end of the orphan' })
})

test('the environment of a run carries no key, no CI and no colour of this machine', async () => {
  await using run = startProgram(node('console.log(Object.keys(process.env).join())'), {
    env: { EXTRA: '1', PATH: undefined },
  })
  const names = (await run.result).stdout
  expect(names).toContain('EXTRA')
  expect(names).not.toMatch(/\b(CI|VITEST|NO_COLOR|PATH|\w+_API_KEY)\b/)
})

test('a wait that times out names what it waited for and the last value', async () => {
  const waiting = waitUntil(() => 0, { what: 'the socket', timeoutMs: 20 })
  await expect(waiting).rejects.toThrow('waited 20 ms for the socket; last saw 0')
})

test('a throw while waiting counts as not yet', async () => {
  let tries = 0
  const condition = () => {
    tries += 1
    if (tries < 3) throw new Error('early')
    return tries
  }
  expect(await waitUntil(condition, { what: 'the third try' })).toBe(3)
})
