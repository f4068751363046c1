import { canRefuseCalls, cliPath, commandWithout, noLocks, startProgram } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { execWorld } from '../e2e/exec-world.ts'

const reason = /cannot .*lock.*: its file system has no locks\)?\. Set PARLEY_HOME to a folder on a local disk\./

describe.runIf(canRefuseCalls())('on a file system without locks', () => {
  test.each([
    [['exec', 'hi'], 9],
    [['login', 'local'], 2],
  ])('parley %j ends with that as its reason', async (args, exitCode) => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }, { text: 'Fine.' }] })
    const [perl = '', ...command] = commandWithout(noLocks, [process.execPath, cliPath, ...args])
    await using run = startProgram([perl, ...command], { env: world.env, cwd: world.cwd, stdin: 'a-key-to-be-kept\n' })
    const result = await run.result
    expect({ exitCode: result.exitCode, stderr: result.stderr }).toEqual({
      exitCode,
      stderr: expect.stringMatching(reason),
    })
  })
})
