import type { Pty } from '@parley/testkit'
import { expect, test } from 'vitest'
import { place } from './interactive-program.ts'

const out = { name: 'shell', arguments: { command: 'echo out', escalate: true, reason: 'to be let out' } }
const inside = { name: 'shell', arguments: { command: 'touch made' } }

/** Returns the output of the program as lines; a terminal ends them by CR LF. */
function lines(pty: Pty): readonly string[] {
  return pty.rawBytes().toString('utf8').split('\r\n')
}

/** Types an answer to the question until it counts: right after it was printed it does not, and that is said. */
async function answer(pty: Pty, question: string, words: string): Promise<void> {
  await pty.waitFor(() => lines(pty).includes(`Question: ${question}`))
  const shown = lines(pty).length
  const isTaken = () =>
    lines(pty)
      .slice(shown)
      .some((line) => /^(?:Ran|Not run) /.test(line))
  while (!isTaken()) {
    pty.write(`${words}\r`)
    await pty.waitFor(isTaken, { timeoutMs: 1_500 }).catch(() => undefined)
  }
}

test('a plain session writes no escape, one line for each event, and takes words for answers', async () => {
  await using at = await place([{ calls: [out] }, { calls: [inside] }, { text: 'It is **done**.\n\nReally.' }])
  await using pty = at.start('--plain', 'go')
  await answer(pty, 'Run outside the sandbox?', 'yes')
  await answer(pty, 'Run this command?', 'no use the other tool')
  await pty.waitFor(/^done/m)
  pty.write('\x04')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
  const written = lines(pty)
  expect(pty.rawBytes().includes(0x1b)).toBe(false)
  const ran = written.filter((line) => line.startsWith('Ran echo out'))
  // A command that took a second on a busy machine has its time in the line.
  expect(ran.map((line) => line.replace(/; [\d.]+ s$/, ''))).toEqual(['Ran echo out; outside the sandbox'])
  expect(written.filter((line) => line.startsWith('Not run touch made'))).toEqual([
    'Not run touch made; denied · “use the other tool”',
  ])
  expect(written).toContain('  It is **done**.')
  expect(written.filter((line) => line === '  Really.')).toHaveLength(1)
  expect(written.some((line) => line.startsWith('To go on: parley resume '))).toBe(true)
  const words = written.filter((line) => line.startsWith('Type one of'))
  expect(words.map((line) => line.includes('session'))).toEqual([false, true])
})

test('a plain session has colours where they are asked for, and no other escape', async () => {
  await using at = await place([{ text: 'Well.' }])
  await using pty = at.start('--plain', '--color', 'always', 'go')
  await pty.waitFor(/^done|Well\./m)
  pty.write('\x04')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
  const written = pty.rawBytes().toString('utf8')
  expect(written).toMatch(/\x1b\[[0-9;]*mLimits: [^\n]*\x1b\[/)
  expect(written.replaceAll(/\x1b\[[0-9;]*m/g, '')).not.toContain('\x1b')
})

test('lists are numbered, and a resume prints what was said', async () => {
  await using at = await place([{ text: 'First.' }, { text: 'Second.' }])
  await using pty = at.start('--plain', 'go')
  await pty.waitFor(/ {2}First\./)
  await pty.waitFor(/^done/m)
  pty.write('/approvals\r')
  await pty.waitFor(/Type a number/)
  pty.write('cancel\r')
  pty.write('\x04')
  await pty.exited
  await using again = at.start('resume', '--last', '--plain')
  await again.waitFor(/You: go[\s\S]* {2}First\./)
  again.write('more\r')
  await again.waitFor(/ {2}Second\./)
  again.write('\x04')
  await again.exited
  expect(again.rawBytes().includes(0x1b)).toBe(false)
})

test('the configuration asks for plain lines, and Ctrl+C twice leaves', async () => {
  await using at = await place([{ text: 'First.' }], '[tui]', 'plain = true')
  await using pty = at.start()
  await pty.waitFor(/Plain lines\./)
  pty.write('go\r')
  await pty.waitFor(/ {2}First\./)
  await pty.waitFor(/^done/m)
  // A key that did something else a moment ago does nothing: the turn has just ended.
  for (let isOffered = false; !isOffered; ) {
    pty.write('\x03')
    isOffered = await pty.waitFor(/Press Ctrl\+C again/, { timeoutMs: 400 }).then(
      () => true,
      () => false,
    )
  }
  pty.write('\x03')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
  expect(pty.rawBytes().includes(0x1b)).toBe(false)
})

test('TERM=dumb gets plain lines by itself', async () => {
  await using at = await place([{ text: 'First.' }])
  await using pty = at.shell()
  pty.write(`TERM=dumb ${at.command()}\r`)
  await pty.waitFor(/Plain lines\./)
  pty.write('go\r')
  await pty.waitFor(/^ {2}First\.[\s\S]*^done/m)
  pty.write('\x04')
  await pty.waitFor(/To go on: parley resume/)
})
