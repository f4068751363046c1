import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { place, pressUntil, ready, send, takeRow } from './interactive-program.ts'

const change = { calls: [{ name: 'shell', arguments: { command: 'echo two > a.txt; echo made > b.txt' } }] }

test('/rewind shows the diff, takes files back, /undo reverses it, and both goes on in a copy', {
  timeout: 60_000,
}, async () => {
  await using at = await place([{ text: 'Hello.' }, change, { text: 'Changed.' }])
  const file = join(at.folder.path, 'a.txt')
  await writeFile(file, 'one\n')
  const read = () => readFileSync(file, 'utf8')
  await using pty = at.start('-s', 'danger-full-access', '-c', 'approval_policy=on-request')
  await pty.waitFor(ready)
  await send(pty, 'say hello')
  await pty.waitFor(/Hello\.[\s\S]*› Ask anything/)
  await send(pty, 'change it')
  await pty.waitFor(/Changed\.[\s\S]*› Ask anything/)
  expect(read()).toBe('two\n')
  await send(pty, '/rewind')
  await pty.waitFor(/Go back to before a message[\s\S]*change it[\s\S]*say hello/)
  await takeRow(pty, /Going back would change 2 files[\s\S]*What goes back\?[\s\S]*files and talk/)
  for (const row of [/▸ files and talk/, /▸ files +2/]) await pressUntil(pty, 'Down', row)
  await takeRow(pty, /2 files were taken back/)
  expect(read()).toBe('one\n')
  await pty.waitFor(ready)
  await send(pty, '/undo')
  await pty.waitFor(/What goes back\?/)
  await pressUntil(pty, 'Down', /▸ files/)
  await takeRow(pty, /2 files were taken back[\s\S]*2 files were taken back/)
  expect(read()).toBe('two\n')
  await pty.waitFor(ready)
  await send(pty, '/rewind')
  await pty.waitFor(/Go back to before a message/)
  await takeRow(pty, /What goes back\?/)
  await pressUntil(pty, 'Down', /▸ files and talk/)
  await takeRow(pty, /Goes on before that message, in a copy[\s\S]*› change it/)
  expect(read()).toBe('one\n')
})
