import { copyFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cliPath, commandOf, startProgram, tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { execWorld, jsonRun } from './exec-world.ts'

/** The built program with another server, or with none. Its other files are links: it finds them beside itself. */
async function brokenProgram(server: string | null) {
  const folder = await tempDirectory()
  const [built, at] = [dirname(cliPath), (name: string) => join(folder.path, name)]
  for (const name of await readdir(built)) {
    if (name === 'parley.mjs') await copyFile(cliPath, at(name))
    else if (name !== 'server.mjs') await symlink(join(built, name), at(name))
  }
  if (server !== null) await writeFile(at('server.mjs'), server)
  return { ...folder, program: at('parley.mjs') }
}

describe('without its server parley ends with 70 and says what is wrong:', () => {
  test.each<[string, string | null, string[], RegExp]>([
    ['it is not there', null, ['exec', 'hi'], /The server ended with 1\. It said: Error: Cannot find module/],
    ['it does not run', 'this is no program', ['exec', 'hi'], /It said: SyntaxError/],
    ['it leaves at once', 'process.exit(3)', ['exec', 'hi'], /The server ended with 3\.\n/],
    ['it is not there', null, ['list'], /Cannot find module/],
    ['it is not there', null, ['config'], /Cannot find module/],
  ])('%s', async (_name, server, args, words) => {
    await using world = await execWorld()
    await using broken = await brokenProgram(server)
    await using run = startProgram([process.execPath, broken.program, ...args], { env: world.env, cwd: world.cwd })
    const { exitCode, stdout, stderr } = await run.result
    expect({ exitCode, stdout }).toEqual({ exitCode: 70, stdout: '' })
    expect(stderr).toMatch(words)
  })

  test('it was killed in the middle of a turn, which can be resumed', async () => {
    await using world = await execWorld({ steps: [{ hang: 'mid', text: 'half of it', chunks: 4 }, { text: 'Here.' }] })
    await using run = world.start(['--json', 'hi'])
    await expect.poll(run.stdout, { timeout: 30_000 }).toContain('item.delta')
    for (const pid of run.processes()) {
      if (commandOf(pid).includes('server.mjs')) process.kill(pid, 'SIGKILL')
    }
    const { result, end } = jsonRun(await run.result)
    expect(result.exitCode).toBe(70)
    expect(end).toMatchObject({ exitCode: 70, failure: { message: 'The server was ended by SIGKILL.' } })
    const resumed = await world.exec(['resume', end.conversationId, 'go on'])
    expect(resumed).toMatchObject({ exitCode: 0, stdout: 'Here.\n' })
    expect(resumed.stderr).toContain('Recovered after parley ended unexpectedly')
  })
})
