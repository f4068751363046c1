import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { commandOf, isAlive, type Pty, waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, test } from 'vitest'
import { answer, hideServer, place, pressUntil, ready, send } from './interactive-program.ts'

const touch = { name: 'shell', arguments: { command: 'touch made.txt' } }
const count = (pty: Pty, text: string) => pty.terminal.transcript().filter((row) => row.includes(text)).length

function serverOf(pty: Pty): number {
  const server = pty.processes().find((pid) => commandOf(pid)?.includes('server.mjs'))
  if (server === undefined) throw new Error('it has no server')
  return server
}

describe('two windows on one conversation', { timeout: 60_000 }, () => {
  test('both show what either sends, and a turn goes on in the one when the other leaves that opened it', async () => {
    const gate = Promise.withResolvers<void>()
    await using at = await place([
      { text: 'One.' },
      { text: 'Two.' },
      { text: 'Three.' },
      { text: 'Half an answer, and the rest.', chunks: 2, beforeFrame: later(gate.promise) },
    ])
    await using first = at.start('hello')
    await first.waitFor(/One\.[\s\S]*› Ask/)
    await using second = at.start('attach')
    await second.waitFor(/▌ hello\n+One\.[\s\S]*› Ask[\s\S]*2 clients/)
    await send(second, 'from over here')
    await first.waitFor(/▌ from over here\n {2}from .+ \(.+\)\n+Two\.[\s\S]*› Ask[\s\S]*2 clients/)
    await second.waitFor(/▌ from over here\n+Two\.[\s\S]*› Ask/)
    await send(first, 'and from here')
    await second.waitFor(/▌ and from here\n {2}from .+\n+Three\./)
    expect([count(first, 'One.'), count(second, 'One.')]).toEqual([1, 1])
    await send(first, 'go')
    await second.waitFor(/Half an[\s\S]*esc stops[\s\S]*2 clients/)
    first.press('Ctrl+D')
    expect(await first.exited).toMatchObject({ exitCode: 0 })
    gate.resolve()
    await second.waitFor(/Half an answer, and the rest\.[\s\S]*› Ask/)
    second.press('Ctrl+D')
    await waitUntil(() => first.processes().length === 0, { what: 'the end of the server that stayed' })
  })

  test('either answers a question, and the other says who did', async () => {
    await using at = await place([{ calls: [touch] }, { text: 'Made it.' }])
    await using first = at.start('make the file')
    await first.waitFor(/y {2}yes/)
    await using second = at.start('resume', '--last')
    await answer(second, 'y', /Made it\./)
    await first.waitFor(/answered by .+ \(.+\): approved\n[\s\S]*Ran {2}touch made\.txt[\s\S]*Made it\./)
    expect(first.terminal.screen().join('\n')).not.toContain('Run this command?')
    expect(count(second, 'answered by')).toBe(0)
  })

  test('one that only watches sees all and answers nothing', async () => {
    await using at = await place([{ calls: [touch] }, { text: 'Made it.' }])
    await using first = at.start('make the file')
    await first.waitFor(/y {2}yes/)
    await using second = at.start('attach', '--read-only')
    await second.waitFor(/Run this command\?[\s\S]*only watches[\s\S]*read-only/)
    second.write('y')
    await second.waitFor(/y was not taken: this window is read-only/)
    await send(second, 'let me')
    await second.waitFor(/`parley attach` without it takes part/)
    expect(existsSync(join(at.folder.path, 'made.txt'))).toBe(false)
    await answer(first, 'y', /Made it\./)
    await second.waitFor(/answered by [\s\S]*Made it\./)
    second.press('Ctrl+U')
    await second.waitFor(/› read-only: this window watches/)
    second.press('Ctrl+D')
    await second.exited
    expect(last(second)).toMatch(/To watch again: parley attach --read-only \w{8}$/)
  })

  test('one that only watches shows what is saved, for as long as it likes, when the other cannot be reached', async () => {
    await using at = await place([{ text: 'One.' }])
    await using first = at.start('hello')
    await first.waitFor(/One\.[\s\S]*› Ask/)
    using _hidden = await hideServer(at)
    await using second = at.start('attach', '--read-only', '0')
    await second.waitFor(/cannot be reached: this is a read-only view[\s\S]*▌ hello\n+One\.[\s\S]*read-only view/)
    await send(second, '/status')
    await second.waitFor(/kept in/)
    expect(count(second, 'The server ended')).toBe(0)
  })

  test('a server that is killed is missed by both at once, and they go on together', async () => {
    const gate = Promise.withResolvers<void>()
    await using at = await place([
      { text: 'Before.' },
      { text: 'Half an answer, and the rest.', chunks: 2, beforeFrame: later(gate.promise) },
      { text: 'After.' },
    ])
    await using first = at.start('hello')
    await first.waitFor(/Before\.[\s\S]*› Ask/)
    await using second = at.start('attach')
    await second.waitFor(/Before\.[\s\S]*› Ask/)
    await send(first, 'go')
    await second.waitFor(/Half an/)
    process.kill(serverOf(first), 'SIGKILL')
    const again = /is being started again[\s\S]*(?:Recovered|Joined again|goes on here)[\s\S]*› Ask/
    await Promise.all([first, second].map((pty) => pty.waitFor(again)))
    await send(second, 'still there?')
    await second.waitFor(/After\./)
    await first.waitFor(/▌ still there\?\n {2}from .+\n+After\.[\s\S]*› Ask[\s\S]*2 clients/)
    for (const pty of [first, second]) expect([count(pty, 'Before.'), count(pty, '▌ go')]).toEqual([1, 1])
  })
})

describe('a window that only watches, whose server is killed', { timeout: 60_000 }, () => {
  test.runIf(isLong)('waits until another window has the conversation open, and then joins that one', async () => {
    await using at = await place([{ text: 'Before.' }, { text: 'After.' }])
    await using first = at.start('hello')
    await first.waitFor(/Before\.[\s\S]*› Ask/)
    await using second = at.start('attach', '--read-only')
    await second.waitFor(/Before\.[\s\S]*2 clients/)
    process.kill(serverOf(first), 'SIGKILL')
    await second.waitFor(/The server ended[\s\S]*Press r to join it again/)
    await first.waitFor(/being started again[\s\S]*The conversation goes on here\.[\s\S]*› Ask/)
    // The second death within a minute: now the window waits, too.
    process.kill(serverOf(first), 'SIGKILL')
    await first.waitFor(/Press r to restart/)
    await pressUntil(second, 'Ctrl+R', /No process has this conversation open yet[\s\S]*Press r to join it again/)
    await pressUntil(first, 'Ctrl+R', /(?:The conversation goes on here\.[\s\S]*){2}› Ask/)
    await pressUntil(second, 'Ctrl+R', /Joined again\.[\s\S]*2 clients/)
    await send(first, 'still there?')
    await second.waitFor(/After\./)
    await send(second, '/fork')
    await second.waitFor(/This window only watches/)
  })
})

describe('a turn that is left behind', { timeout: 60_000 }, () => {
  test('goes on, and attach finds it with all that it said', async () => {
    const gate = Promise.withResolvers<void>()
    await using at = await place([
      { text: 'Half an answer, and the rest.', chunks: 2, beforeFrame: later(gate.promise) },
    ])
    await using first = at.start('go')
    await first.waitFor(/Half an/)
    await send(first, '/detach')
    expect(await first.exited).toMatchObject({ exitCode: 0 })
    const [, id = ''] = /It goes on without you\. To come back: parley attach (\w+)/.exec(last(first)) ?? []
    await using second = at.start('attach', id)
    await second.waitFor(/Half an[\s\S]*esc stops/)
    gate.resolve()
    await second.waitFor(/Half an answer, and the rest\.[\s\S]*› Ask/)
    expect(at.model.requests).toHaveLength(1)
  })

  test('ends its server when it is done, and can still be attached to', async () => {
    const gate = Promise.withResolvers<void>()
    await using at = await place([
      { text: 'Half an answer, and the rest.', chunks: 2, beforeFrame: later(gate.promise) },
    ])
    await using first = at.start('go')
    await first.waitFor(/Half an/)
    const server = serverOf(first)
    await send(first, '/detach')
    await first.exited
    gate.resolve()
    await waitUntil(() => !isAlive(server), { what: 'the end of its server', timeoutMs: 30_000 })
    await using second = at.start('attach', '--read-only', idIn(first))
    await second.waitFor(/Half an answer, and the rest\.[\s\S]*read-only view/)
  })
})

test('a terminal that is closed ends the program, and nothing is taken for a bug', { timeout: 60_000 }, async () => {
  await using at = await place([{ text: 'Yes.' }])
  await using pty = at.start('hello')
  await pty.waitFor(/Yes\.[\s\S]*› Ask/)
  pty.hangUp()
  await waitUntil(() => pty.processes().length === 0, { what: 'the end of the program and its server' })
  expect(readdirSync(join(at.home.env.PARLEY_HOME, 'logs')).filter((name) => name.startsWith('crash'))).toEqual([])
})

test('attach says that there is nothing to attach to', async () => {
  await using at = await place([])
  await using pty = at.start('attach')
  expect(await pty.exited).toMatchObject({ exitCode: 5 })
  expect(pty.terminal.transcript().join('\n')).toMatch(/^parley: No conversation is live\./m)
})

test('Ctrl+Z gives the terminal back to the shell, and fg brings the program back whole', {
  timeout: 60_000,
}, async () => {
  await using at = await place([{ text: 'Yes.' }])
  await using pty = at.shell()
  pty.write(`${at.command('hello')}\r`)
  await pty.waitFor(/Yes\.[\s\S]*› Ask/)
  pty.paste('kept')
  await pty.waitFor(/› kept/)
  pty.press('Ctrl+Z')
  await pty.waitFor(/Stopped/)
  pty.write('fg\r')
  await pty.waitFor(/Stopped[\s\S]*› kept/)
  pty.press('Ctrl+U')
  await pty.waitFor(ready)
  expect(count(pty, 'Yes.')).toBe(1)
})

/** The first frames at once, the text after its first half when the gate opens. */
function later(gate: Promise<void>): (frame: number) => Promise<void> {
  return async (frame) => {
    if (frame > 4) await gate
  }
}

function last(pty: Pty): string {
  return pty.terminal.transcript().join('\n')
}

function idIn(pty: Pty): string {
  return /parley attach (\w+)/.exec(last(pty))?.[1] ?? ''
}
