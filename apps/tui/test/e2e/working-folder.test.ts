import { writeFile } from 'node:fs/promises'
import { isLong } from '@parley/testkit/long-runs'
import { expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'
import { place } from './interactive-program.ts'

const isGone = /The folder that this was started in has been deleted or moved.*Change to a folder that exists/

test('a folder that is a file ends exec, resume and the terminal with 2 and a sentence', async () => {
  await using world = await execWorld({ steps: [{ text: 'One.' }], files: { file: '' } })
  const words = /file is a file, not a folder\. Choose another with --cd\./
  const begun = await world.execJson(['first'])
  for (const args of [['hi'], ['resume', begun.end.conversationId, 'more']]) {
    const { exitCode, stderr } = await world.exec([...args, '-C', 'file'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(words) })
  }
  await using at = await place([])
  await writeFile(`${at.folder.path}/file`, '')
  await using pty = at.start('-C', 'file')
  expect(await pty.exited).toMatchObject({ exitCode: 2 })
  expect(pty.terminal.transcript().join(' ')).toMatch(words)
})

test('-C to a file or to nothing ends every command that looks there with 2 and a sentence', async () => {
  await using world = await execWorld({ files: { file: '' } })
  for (const command of ['config', 'trust', 'policy test ls']) {
    for (const [folder, problem] of [
      ['file', 'is a file, not a folder'],
      ['nowhere', 'does not exist'],
    ]) {
      const { exitCode, stdout, stderr } = await world.parley(...command.split(' '), '-C', `${folder}`)
      const words = `parley: The folder ${world.path(`${folder}`)} ${problem}. Choose another with --cd.\n`
      expect({ command, exitCode, stdout, stderr }).toEqual({ command, exitCode: 2, stdout: '', stderr: words })
    }
  }
})

test('a server in a folder that is gone says that it cannot find a relative path', async () => {
  await using world = await execWorld()
  for (const command of ['server --listen unix:x', 'exec-server --listen unix:x']) {
    const { exitCode, stderr } = await world.shell(`mkdir -p gone; cd gone; rmdir ../gone; parley ${command}`)
    expect({ command, exitCode, stderr }).toEqual({
      command,
      exitCode: 2,
      stderr: expect.stringMatching(/deleted or moved, so x cannot be found\. Give its whole path\.\n$/),
    })
  }
})

test('a folder that is gone ends every command that needs it with 2 and a sentence', async () => {
  await using world = await execWorld({ files: { 'sub/x': '' } })
  const further = ['exec resume --last hi', 'config', 'trust', 'why']
  for (const command of ['exec hi', 'policy test ls', 'doctor', ...(isLong ? further : [])]) {
    const line = `mkdir -p gone; cd gone; rmdir ../gone; parley ${command}`
    const { exitCode, stderr } = await world.shell(line, { stdin: '' })
    expect({ command, exitCode, stderr }).toEqual({ command, exitCode: 2, stderr: expect.stringMatching(isGone) })
  }
})

test('a run in a folder that is named by all of its path needs no other', async () => {
  await using world = await execWorld({ steps: [{ text: 'Done.' }] })
  const line = `mkdir gone; cd gone; rmdir ../gone; parley exec -C '${world.cwd}' hi`
  expect(await world.shell(line, { stdin: '' })).toMatchObject({ exitCode: 0, stdout: 'Done.\n' })
})

test('the terminal says that its folder is gone before it draws anything', async () => {
  await using at = await place([])
  await using pty = at.shell()
  pty.write(`mkdir gone; cd gone; rmdir ../gone; ${at.command()}; echo ended with $?\n`)
  await pty.waitFor(/ended with 2/)
  expect(pty.terminal.transcript().join(' ')).toMatch(/deleted or moved/)
})
