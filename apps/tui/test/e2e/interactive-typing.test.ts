import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { takenAfterMs } from '@parley/presentation/question/answers'
import { hasFullSandbox, noFullSandbox, type Pty } from '@parley/testkit'
import { describe, expect, test, vi } from 'vitest'
import { answer, place, send } from './interactive-program.ts'
import { type Typing, typeSlowly } from './type-slowly.ts'

vi.setConfig({ testTimeout: 60_000 })

const touch = { name: 'shell', arguments: { command: 'touch made.txt' } }
const gapsMs = [30, 120, 250]
const typings = (text: string): readonly Typing[] =>
  [0, 200].flatMap((jitterMs) => gapsMs.map((gapMs) => ({ text, gapMs, jitterMs })))

const isAsked = /Run this command\?[\s\S]*y {2}yes/

/** Types each at one question; resolves to those from the first on that this machine was too slow for, which show nothing. */
async function typeAtQuestion(typings: readonly Typing[]): Promise<readonly Typing[]> {
  await using at = await place([{ calls: [touch] }, { text: 'Made it.' }])
  await using pty = at.start('make the file')
  // An arrow is taken once the question can have been read.
  await answer(pty, '\x1b[B', /▸ y {2}yes/)
  for (const [index, typing] of typings.entries()) {
    const longestMs = await typeSlowly(pty, typing)
    if (longestMs >= takenAfterMs) return typings.slice(index)
    await pty.waitFor((rows) => rows.some((row) => row.trimEnd() === `› ${typing.text}`))
    pty.press('Ctrl+C')
    await pty.waitFor(isAsked)
    expect(existsSync(join(at.folder.path, 'made.txt'))).toBe(false)
  }
  return []
}

describe('a message typed while a question is open', () => {
  // Each letter that is an answer, at each rate: apps/tui/test/ui/answer-approval.test.ts.
  test('answers nothing', async () => {
    let left = typings('yarn test')
    while (left.length > 0) left = await typeAtQuestion(left)
  })

  test('is sent by Enter and waits for the next step, and the question is still open', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using at = await place([{ calls: [touch] }, { text: 'Made it.' }])
    await using pty = at.start('make the file')
    await pty.waitFor(isAsked)
    await send(pty, 'yarn test')
    await pty.waitFor(/y {2}yes[\s\S]*next step: yarn test/)
    await answer(pty, 'y', /Made it\./)
    expect(at.model.requests.at(-1)?.text).toContain('yarn test')
    expect(existsSync(join(at.folder.path, 'made.txt'))).toBe(true)
  })
})

describe('arrows and Enter at a question', () => {
  test('give the answer that they reached, and no earlier message', async () => {
    await using at = await place([{ calls: [touch] }, { text: 'Made it.' }])
    await using pty = at.start('make the file')
    await answer(pty, '\x1b[A', /▸ Esc {2}stop/)
    await answer(pty, '\x1b[B', /▸ y {2}yes/)
    pty.press('Enter')
    await pty.waitFor(/Made it\./)
    expect(pty.terminal.transcript().join('\n')).not.toContain('next step')
  })
})

describe('a window of 20 columns and 5 rows', () => {
  test('takes a yes only after v has shown what it is to', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    const gate = Promise.withResolvers<void>()
    await using at = await place([{ calls: [touch], gate: gate.promise }, { text: 'Made it.' }])
    await using pty = at.start('make the file')
    await pty.waitFor(/make the file/)
    pty.resize({ cols: 20, rows: 5 })
    await pty.waitFor(/esc stops/)
    gate.resolve()
    await pty.waitFor(/touch made\.txt[\s\S]*\n {2}v all · n no · Esc/)
    pty.write('y')
    await pty.waitFor(/too early|no yes before v/)
    expect(existsSync(join(at.folder.path, 'made.txt'))).toBe(false)
    await answerSmall(pty, 'v', /y yes · n no · Esc/)
    expect(pty.terminal.transcript().join('\n')).toMatch(/Run this command\?\n {2}touch made\.txt\n {2}in\b/)
    await answerSmall(pty, 'y', /Made it\.|done in/)
    expect(existsSync(join(at.folder.path, 'made.txt'))).toBe(true)
  })
})

/** Pressed again where it came too early. */
async function answerSmall(pty: Pty, key: string, until: RegExp): Promise<void> {
  for (;;) {
    pty.write(key)
    try {
      return await pty.waitFor(until, { timeoutMs: 1_500 })
    } catch {
      // The steps after an answer take their time.
      if (!/y yes|v all|too early|before v/.test(pty.terminal.screen().join('\n'))) return await pty.waitFor(until)
    }
  }
}
