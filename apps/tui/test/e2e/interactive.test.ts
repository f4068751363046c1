import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliPath, commandOf, hasFullSandbox, noFullSandbox, runCli, virtualScreen, waitUntil } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { answer, hideServer, place, pressUntil, ready, send, takeRow } from './interactive-program.ts'

const touch = { name: 'shell', arguments: { command: 'touch made.txt' } }
const count = (rows: readonly string[], text: string) => rows.filter((row) => row.includes(text)).length

describe('the interactive program', { timeout: 60_000 }, () => {
  test('shows an answer, and names the conversation on leaving, which is resumed by that', async () => {
    await using at = await place([{ text: 'All is **well**.', chunks: 5 }])
    await using pty = at.start()
    await pty.waitFor(ready)
    await send(pty, 'how is it')
    await pty.waitFor(/All is well\./)
    await pty.waitFor(ready)
    pty.press('Ctrl+D')
    expect(await pty.exited).toMatchObject({ exitCode: 0 })
    expect(pty.terminal.transcript().join('\n')).toMatch(
      /▌ how is it\n+All is well\.\n+To go on: parley resume [0-9a-f]{8}$/,
    )
    expect(pty.rawBytes().toString('latin1')).not.toContain('\x1b[3J')
    const [, id = ''] = /parley resume ([0-9a-f]{8})/.exec(pty.terminal.transcript().join('\n')) ?? []
    await using again = at.start('resume', id)
    await again.waitFor(/▌ how is it\n+All is well\./)
  })

  test('sends a line that comes with its Enter at once', async () => {
    await using at = await place([{ text: 'Heard.' }])
    await using pty = at.start()
    await pty.waitFor(ready)
    pty.write('typed by a program\r')
    await pty.waitFor(/Heard\./)
    expect(at.model.requests[0]?.text).toContain('typed by a program')
  })

  test("stops a command of the user's own by Escape, or hides it by Ctrl+B and shows it when it ends", async () => {
    await using at = await place([])
    await using pty = at.start()
    await pty.waitFor(/asks before every change/)
    await send(pty, '!sleep 1000')
    await pty.waitFor(/your command runs, without a terminal · esc stops it/)
    await pressUntil(pty, 'Escape', /! sleep 1000 +interrupted[\s\S]*› Ask anything/)
    await send(pty, '!echo begun; until [ -e stop ]; do sleep 0.02; done; echo over')
    await pty.waitFor(/begun\n[\s\S]*esc stops it · ctrl\+b background/)
    await pressUntil(pty, 'Ctrl+B', /Your command runs on in the background[\s\S]*› Ask anything/)
    await pty.waitFor((rows) => count(rows, 'esc stops it') === 0 && !rows.some((row) => /begun$/.test(row)))
    pty.press('Escape')
    writeFileSync(join(at.folder.path, 'stop'), '')
    await pty.waitFor(/! echo begun;[\s\S]*└ begun\n +over/)
  })

  test('sends a command of the model to the background by Ctrl+B, and the turn goes on', async () => {
    const command = 'echo begun; until [ -e stop ]; do sleep 0.02; done'
    await using at = await place([{ calls: [{ name: 'shell', arguments: { command } }] }, { text: 'Going on.' }])
    await using pty = at.start('serve it')
    await answer(pty, 'y', /Running {2}echo begun[\s\S]*└ begun/)
    await pressUntil(pty, 'Ctrl+B', /Going on\./)
    expect(pty.terminal.screen().join('\n')).toMatch(/Ran {2}echo begun.* in the background/)
    expect(at.model.requests.at(-1)?.text).toContain('The user sent it to the background; it runs on as process')
    writeFileSync(join(at.folder.path, 'stop'), '')
  })

  test('takes a prompt from the command line and runs what is approved', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using at = await place([{ calls: [touch] }, { text: 'Made it.' }])
    await using pty = at.start('make the file')
    await pty.waitFor(/Run this command\?[^\n]*\n {2}touch made\.txt/)
    expect(existsSync(join(at.folder.path, 'made.txt'))).toBe(false)
    pty.press('Enter')
    await answer(pty, 'y', /Made it\./)
    expect(existsSync(join(at.folder.path, 'made.txt'))).toBe(true)
    expect(pty.terminal.screen().join('\n')).toMatch(/• Ran {2}touch made\.txt/)
  })

  test('tells the model what a refusal says', async () => {
    await using at = await place([{ calls: [touch] }, { text: 'As you like.' }])
    await using pty = at.start('make the file')
    await answer(pty, 'n', /No\. What should it do instead\?/)
    await send(pty, 'name it b.txt')
    await pty.waitFor(/As you like\./)
    expect(at.model.requests.at(-1)?.text).toContain('name it b.txt')
    expect(existsSync(join(at.folder.path, 'made.txt'))).toBe(false)
  })

  test('interrupts a turn and gives back what was not sent yet', async () => {
    await using at = await place([{ text: 'Half an answer', hang: 'mid', chunks: 4 }])
    await using pty = at.start('go')
    await pty.waitFor(/Half/)
    await send(pty, 'and then this')
    await pty.waitFor(/next step: and then this/)
    await pressUntil(pty, 'Escape', /Interrupted[\s\S]*› and then this/)
  })

  test('leaves a usable terminal behind when it is killed', async () => {
    await using at = await place([])
    // In a shell: a terminal whose first program ends is closed 200 ms later, with whatever is still to be written.
    await using pty = at.shell()
    pty.write(`${at.command()}\r`)
    await pty.waitFor(ready)
    const running = (words: string) => pty.processes().find((pid) => commandOf(pid).includes(words))
    // The first picture is there before the one who gives the terminal back.
    await waitUntil(() => running('parley-guard') !== undefined, { what: 'its guard' })
    process.kill(running(`${process.execPath} ${cliPath}`) ?? Number.NaN, 'SIGKILL')
    // A shell switches bracketed paste by itself.
    await waitUntil(() => pty.rawBytes().includes('\x1b[<u'), { what: 'the end of the keyboard mode' })
    await pty.waitFor((rows) => !rows.some((row) => row.includes('asks before every change')))
  })

  test('brings a conversation back with resume', async () => {
    await using at = await place([{ text: 'The first answer.' }, { text: 'The second answer.' }])
    await at.run('exec', 'remember me')
    await using second = at.start('resume', '--last')
    await second.waitFor(/▌ remember me\n+The first answer\.[\s\S]*› Ask/)
    await send(second, 'go on')
    await second.waitFor(/The second answer\./)
    expect(count(second.terminal.transcript(), 'The first answer.')).toBe(1)
  })

  test('opens a conversation from the list', async () => {
    await using at = await place([{ text: 'Here.' }])
    await at.run('exec', 'look for me')
    await using second = at.start('resume')
    await second.waitFor(/▸ look for me/)
    await takeRow(second, /▌ look for me\n+Here\.[\s\S]*› Ask/)
  })

  test('starts a server that has died again, asks after the second death, and goes on with the same question', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using at = await place([{ calls: [touch] }, { text: 'Made it.' }])
    await using pty = at.start('make the file')
    await pty.waitFor(/y {2}yes/)
    const server = () => pty.processes().find((pid) => commandOf(pid)?.includes('server.mjs'))
    const first = server()
    process.kill(first ?? 0, 'SIGKILL')
    await pty.waitFor(/The server ended and is being started again[\s\S]*1 approval waits for you again/)
    await waitUntil(() => ![undefined, first].includes(server()), { what: 'the second server' })
    process.kill(server() ?? 0, 'SIGKILL')
    await pty.waitFor(/The server ended; your conversation is saved\. Press r to restart/)
    pty.write('kept')
    await pty.waitFor(/› kept/)
    await pressUntil(pty, 'Ctrl+R', /The conversation goes on here[\s\S]*› kept/)
    pty.press('Ctrl+U')
    await pressUntil(pty, 'Escape', /y {2}yes/)
    await answer(pty, 'y', /Made it\./)
    expect(existsSync(join(at.folder.path, 'made.txt'))).toBe(true)
    expect(count(pty.terminal.transcript(), '▌ make the file')).toBe(1)
  })

  test('prints a long answer once, in order, and never clears the screen', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `- line ${index}`)
    await using at = await place([{ text: lines.join('\n'), chunks: 600 }])
    await using pty = at.start('be long')
    await pty.waitFor(/line 2999[\s\S]*› Ask/, { timeoutMs: 30_000 })
    // From all bytes at once: fed as they come, the virtual screen loses a character that is cut between two reads.
    using whole = virtualScreen({ cols: 90, rows: 36 })
    await whole.feed(pty.rawBytes().toString('utf8'))
    const printed = whole.transcript().flatMap((row) => /• (line \d+)$/.exec(row)?.[1] ?? [])
    expect(printed).toEqual(lines.map((line) => line.slice(2)))
    expect(pty.terminal.clears()).toEqual({ scrollback: 0, screen: 0 })
  })

  test('says where to go when there is no key, and works on the recorded model', async () => {
    await using at = await place([])
    await using pty = at.start('-c', 'model_provider="openai"')
    await pty.waitFor(/looked for OPENAI_API_KEY[\s\S]*› Ask/)
  })

  test('needs a terminal, and says what does not', async () => {
    await using at = await place([])
    const { exitCode, stderr } = await runCli([], { env: at.home.env, cwd: at.folder.path })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('parley exec') })
  })

  test('says at once that there is no such conversation', async () => {
    await using at = await place([])
    await using pty = at.start('resume', 'nosuch')
    expect(await pty.exited).toMatchObject({ exitCode: 5 })
    expect(pty.terminal.transcript().join('\n')).toMatch(/^parley: .*nosuch/m)
  })

  test('shows what is saved of a conversation whose owner cannot be reached, and forks it', async () => {
    await using at = await place([{ text: 'Yes.' }, { text: 'Also here.' }])
    await using first = at.start('hello')
    await first.waitFor(/Yes\.[\s\S]*› Ask/)
    using _hidden = await hideServer(at)
    await using second = at.start('resume', '--last')
    await second.waitFor(/open in process \d+, which cannot be reached[\s\S]*▌ hello[\s\S]*read-only view/)
    await send(second, '/fork')
    await second.waitFor(/a copy of[\s\S]*› Ask/)
    await send(second, 'and here')
    await second.waitFor(/Also here\./)
  })

  test('leaves a terminal that is killed as it was', async () => {
    await using at = await place([])
    await using pty = at.start()
    await pty.waitFor(ready)
    pty.kill('SIGTERM')
    expect(await pty.exited).toMatchObject({ exitCode: 143 })
    expect(pty.rawBytes().toString('latin1')).toMatch(/\x1b\[>4;0m.*\x1b\[\?2004l/s)
    await waitUntil(() => pty.processes().length === 0, { what: 'the end of its processes' })
  })
})
