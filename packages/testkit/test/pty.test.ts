import { expect, test } from 'vitest'
import { isAlive, startPty, waitUntil } from '../src/index.ts'
import { keyBytes } from '../src/pty.ts'

const sh = (script: string): [string, ...string[]] => ['sh', '-c', script]

test('a program on a pty sees a terminal of the given size', async () => {
  await using pty = startPty({ argv: sh('stty size; test -t 0 && echo terminal'), cols: 91, rows: 31 })
  expect(await pty.exited).toEqual({ exitCode: 0, signal: undefined })
  expect(pty.terminal.transcript()).toEqual(['31 91', 'terminal'])
})

test('keys and text reach the program and its answer reaches the screen', async () => {
  await using pty = startPty({ argv: sh('read line; echo "got $line"') })
  pty.write('hello')
  pty.press('Enter')
  await pty.waitFor(/^got hello$/m)
  expect((await pty.exited).exitCode).toBe(0)
})

test('a resize reaches the program', async () => {
  await using pty = startPty({ argv: sh('trap "stty size" WINCH; echo ready; while :; do sleep 0.05; done') })
  await pty.waitFor(/ready/)
  pty.resize({ cols: 40, rows: 10 })
  await pty.waitFor((rows) => rows.includes('10 40'))
  expect(pty.terminal.screen()).toHaveLength(10)
})

test('Ctrl+C interrupts the foreground program', async () => {
  await using pty = startPty({
    argv: sh('trap "echo interrupted; exit 7" INT; echo ready; while :; do sleep 0.05; done'),
  })
  await pty.waitFor(/ready/)
  pty.press('Ctrl+C')
  expect(await pty.exited).toMatchObject({ exitCode: 7 })
  expect(pty.terminal.screen().join()).toContain('interrupted')
})

test('disposing a pty ends its process tree', async () => {
  let pids: number[] = []
  {
    await using pty = startPty({ argv: sh('setsid sleep 60 & sleep 60') })
    pids = await waitUntil(() => pty.processes().length >= 3 && pty.processes(), { what: 'both sleeps' })
  }
  // The kernel removes killed processes a moment later.
  expect(await waitUntil(() => !pids.some(isAlive), { what: 'the end of the tree' })).toBe(true)
})

test('a wait that times out shows the screen', async () => {
  await using pty = startPty({ argv: sh('echo something else; sleep 60') })
  await pty.waitFor(/else/)
  await expect(pty.waitFor(/never/, { timeoutMs: 20 })).rejects.toThrow(/\/never\/.*\nsomething else/)
})

test.each([
  ['Enter', '\r'],
  ['Ctrl+C', '\x03'],
  ['Alt+b', '\x1bb'],
  ['Alt+Enter', '\x1b\r'],
  ['é', 'é'],
])('the key %s has its bytes', (name, bytes) => {
  expect(keyBytes(name)).toBe(bytes)
})

test('an unknown key throws', () => {
  expect(() => keyBytes('Hyper+X')).toThrow('no such key')
})
