import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as apart } from 'node:timers/promises'
import { commandOf, type ScriptedStep, waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, test, vi } from 'vitest'
import { type Place, place, pressUntil, ready, send } from '../e2e/interactive-program.ts'

vi.setConfig({ testTimeout: 60_000 })

const streaming: ScriptedStep = { text: 'Half an answer, and the rest.', hang: 'mid', chunks: 6 }
const sleeping: ScriptedStep = { calls: [{ name: 'shell', arguments: { command: 'echo begun; sleep 600' } }] }
const inFullAccess = ['-s', 'danger-full-access', '-c', 'approval_policy=on-request']
/** The cursor is shown, and not hidden again; keyboard mode and bracketed paste are off. */
const givenBack = /\x1b\[\?25h(?:(?!\x1b\[\?25l).)*\x1b\[>4;0m.*\x1b\[\?2004l/s

type Scene = { readonly steps: readonly ScriptedStep[]; readonly reached: RegExp; readonly resumed: RegExp }
const scenes: Readonly<Record<string, Scene>> = {
  'nothing goes on': { steps: [{ text: 'Whole.' }], reached: /Whole\.[\s\S]*› Ask/, resumed: /▌ go\n+Whole\./ },
  'the model speaks': {
    steps: [streaming],
    reached: /Half an/,
    resumed: /▌ go\n+Half an[\s\S]*Stopped: parley was closed/,
  },
  'a command runs': { steps: [sleeping], reached: /└ begun/, resumed: /Ran {2}echo begun[\s\S]*nterrupted/ },
}

const nothingLeft = (pty: { processes(): number[] }) =>
  waitUntil(() => pty.processes().length === 0, { what: 'the end of all its processes', timeoutMs: 30_000 })

const serverOf = (pty: { processes(): number[] }) => {
  const pid = pty.processes().find((each) => commandOf(each).includes('server.mjs'))
  if (pid === undefined) throw new Error('there is no server')
  return pid
}

async function conversations(at: Place): Promise<readonly unknown[]> {
  const listed = await at.run('list', '--json')
  return listed.lines()
}

describe('a window', () => {
  test.each(Object.entries(scenes).filter(([name]) => isLong || name === 'a command runs'))(
    'killed while %s leaves no process and a conversation to resume',
    async (_, scene) => {
      await using at = await place(scene.steps)
      await using pty = at.start(...inFullAccess, 'go')
      await pty.waitFor(scene.reached)
      process.kill(pty.pid, 'SIGKILL')
      await nothingLeft(pty)
      await using again = at.start('resume', '--last')
      await again.waitFor(scene.resumed)
      await again.waitFor(ready)
    },
  )

  test('whose terminal is closed while the model speaks is gone, and so is its server', async () => {
    await using at = await place([streaming])
    await using pty = at.start('go')
    await pty.waitFor(/Half an/)
    pty.hangUp()
    await nothingLeft(pty)
    expect(await conversations(at)).toHaveLength(1)
  })

  test('ended by SIGTERM while the model speaks gives the terminal back and has saved all', async () => {
    await using at = await place([streaming])
    await using pty = at.start('go')
    await pty.waitFor(/Half an/)
    pty.kill('SIGTERM')
    expect(await pty.exited).toMatchObject({ exitCode: 143 })
    expect(givenBack.test(pty.rawBytes().toString('latin1'))).toBe(true)
    await nothingLeft(pty)
    expect(await conversations(at)).toHaveLength(1)
  })

  test('says that its server does not answer, takes what is typed, and goes on with it', async () => {
    const gate = Promise.withResolvers<void>()
    const beforeFrame = (frame: number) => (frame > 4 ? gate.promise : Promise.resolve())
    await using at = await place([{ text: 'Half an answer, and the rest.', chunks: 6, beforeFrame }])
    await using pty = at.start('go')
    await pty.waitFor(/Half/)
    const server = serverOf(pty)
    process.kill(server, 'SIGSTOP')
    await pty.waitFor(/The server does not answer\./)
    pty.paste('kept')
    await pty.waitFor(/› kept/)
    process.kill(server, 'SIGCONT')
    gate.resolve()
    await pty.waitFor(/Half an answer, and the rest\./)
    await pty.waitFor((rows) => !rows.some((row) => row.includes('does not answer')))
    expect(pty.terminal.screen().join('\n')).toMatch(/› kept/)
  })

  test.runIf(isLong)(
    'after 200 sizes in a second, down to 1x1 and up to 500x200, is right for the last one',
    async () => {
      const lines = Array.from({ length: 60 }, (_, index) => `- line ${index}`)
      await using at = await place([{ text: lines.join('\n'), chunks: 60, delayMs: 20 }])
      await using pty = at.start('go')
      await pty.waitFor(/line 3/)
      for (let nth = 0; nth < 200; nth++) {
        const size = [1, 2, 9, 40, 90, 500][nth % 6] ?? 90
        pty.resize({ cols: size, rows: Math.max(1, Math.floor(size / 2.5)) })
        await apart(5)
      }
      pty.resize({ cols: 90, rows: 36 })
      await pty.waitFor(/line 59[\s\S]*› Ask anything/)
      await waitUntil(() => pty.terminal.screen().filter((row) => row.includes('› Ask anything')).length === 1, {
        what: 'one composer',
      })
      await send(pty, 'still here')
      await pty.waitFor(/▌ still here/)
    },
  )

  test('starts on a terminal that answers nothing, and takes late answers for no keys', async () => {
    const gate = Promise.withResolvers<void>()
    await using at = await place([])
    await using pty = at.startWith({ answersAfter: gate.promise })
    await pty.waitFor(ready)
    pty.paste('typed')
    await pty.waitFor(/› typed/)
    gate.resolve()
    pty.paste(' on')
    await pty.waitFor(/› typed on$/m)
  })

  test('left by Ctrl+C again and again while a command runs leaves nothing behind', async () => {
    await using at = await place([sleeping, { text: 'Over.' }])
    await using pty = at.start(...inFullAccess, 'go')
    await pty.waitFor(/└ begun/)
    pty.press('Ctrl+C')
    await apart(50)
    await pressUntil(pty, 'Ctrl+C', /nterrupted/)
    const leaving = setInterval(() => pty.press('Ctrl+C'), 300)
    try {
      expect(await pty.exited).toMatchObject({ exitCode: 0 })
    } finally {
      clearInterval(leaving)
    }
    expect(givenBack.test(pty.rawBytes().toString('latin1'))).toBe(true)
    await nothingLeft(pty)
  })

  test('that has a bug gives the terminal back, says so with 70, and takes its server along', async () => {
    await using at = await place([streaming])
    const trigger = join(at.folder.path, 'break')
    const bug = join(at.folder.path, 'bug.mjs')
    writeFileSync(
      bug,
      `import { existsSync } from 'node:fs'
if (process.argv[1]?.endsWith('parley.mjs')) setInterval(() => {
  if (existsSync(${JSON.stringify(trigger)})) throw new Error('this is broken')
}, 10).unref()`,
    )
    await using pty = at.startWith({ env: { NODE_OPTIONS: `--import=${bug}` } }, 'go')
    await pty.waitFor(/Half an/)
    writeFileSync(trigger, '')
    expect(await pty.exited).toMatchObject({ exitCode: 70 })
    expect(givenBack.test(pty.rawBytes().toString('latin1'))).toBe(true)
    expect(pty.terminal.transcript().join('\n')).toMatch(
      /internal error, this is a bug\. A report is in \S+crash-\S+\.txt$/m,
    )
    await nothingLeft(pty)
    expect(await conversations(at)).toHaveLength(1)
  })
})
