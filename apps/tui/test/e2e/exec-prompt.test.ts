import { cliPath, startPty } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { execWorld, saidToModel } from './exec-world.ts'

describe('the prompt of parley exec', () => {
  test('is its argument, while an open and silent stdin blocks nothing', async () => {
    await using world = await execWorld({ steps: [{ text: 'Hello there' }] })
    const { exitCode, stdout } = await world.spawn(['say hello'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Hello there\n' })
    expect(saidToModel(world)).toContain('"say hello"')
  })

  test.each([
    ['stdin when there is no argument', [], 'from stdin'],
    ['stdin for "-"', ['-'], 'from stdin'],
    [
      'the argument and then stdin with --stdin',
      ['--stdin', 'explain'],
      'explain\\n\\n<stdin>\\nfrom stdin\\n</stdin>',
    ],
  ])('is %s', async (_name, args, said) => {
    await using world = await execWorld({ steps: [{ text: 'Yes' }] })
    const { exitCode } = await world.exec(args, { stdin: 'from stdin' })
    expect(exitCode).toBe(0)
    expect(saidToModel(world)).toContain(`"${said}"`)
  })

  test('is asked for on a terminal', async () => {
    await using world = await execWorld()
    await using pty = startPty({ argv: [process.execPath, cliPath, 'exec'], env: world.env, cwd: world.cwd })
    expect(await pty.exited).toMatchObject({ exitCode: 2 })
    expect(pty.terminal.transcript().join('\n')).toContain('No prompt. Give one as an argument, or pipe it in')
  })

  test('may come late: who waits for it is told', async () => {
    await using world = await execWorld({ steps: [{ text: 'Yes' }] })
    await using run = world.start([])
    await expect.poll(run.stderr, { timeout: 30_000 }).toContain('Waiting for the prompt on stdin')
    run.write('at last')
    run.closeStdin()
    expect((await run.result).exitCode).toBe(0)
  })
})

describe('parley exec ends with 2 for', () => {
  test.each<[string, string[], RegExp]>([
    ['an empty argument', [''], /The prompt is empty/],
    ['a folder that is not there', ['-C', 'nowhere', 'hi'], /The folder .*nowhere does not exist/],
    ['an answer file that cannot be written', ['-o', 'none/answer.md', 'hi'], /cannot be written to none.answer.md/],
    ['a recording that cannot be written', ['--record', 'none/tape', 'hi'], /Nothing can be recorded in none.tape/],
    ['a policy file that is not there', ['--policy', 'none.toml', 'hi'], /The policy file none.toml does not exist/],
    ['an unknown profile', ['-p', 'nope', 'hi'], /no profile "nope"/],
    ['a value out of range', ['-c', 'sandbox_mode=none', 'hi'], /sandbox_mode: must be "read-only"/],
    ['an empty model of -c', ['-c', 'model=""', 'hi'], /-c: model: must not be empty/],
    ['a blank model of -c', ['-c', "model='  '", 'hi'], /-c: model: must not be empty/],
    ['an empty provider of -c', ['-c', 'model_provider=', 'hi'], /-c: model_provider: must not be empty/],
    ['an empty profile of -c', ['-c', 'profile=""', 'hi'], /-c: profile: must not be empty/],
  ])('%s', async (_name, args, words) => {
    await using world = await execWorld()
    const { exitCode, stdout, stderr } = await world.exec(args, { stdin: '' })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(words)
    expect(world.model.requests).toHaveLength(0)
  })

  test('a configuration that is no TOML, naming the place', async () => {
    await using world = await execWorld()
    await world.writeConfig('model = "m"\nmodel_provider =\n')
    const { exitCode, stderr } = await world.exec(['hi'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('config.toml:2:') })
  })

  test('a policy that is no TOML, naming the place', async () => {
    await using world = await execWorld({ files: { 'ci.toml': '\n[[rule]\n' } })
    const { exitCode, stderr } = await world.exec(['--policy', 'ci.toml', 'hi'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('ci.toml:2: ') })
  })

  test('in JSON a run that was not begun has a terminal event too', async () => {
    await using world = await execWorld()
    const { result, end } = await world.execJson(['-C', 'nowhere', 'hi'])
    expect(result.exitCode).toBe(2)
    expect(end).toMatchObject({ type: 'run.ended', exitCode: 2, failure: { code: 'cwdMissing' } })
  })
})

test('flags before the command count as well', async () => {
  await using world = await execWorld({ steps: [{ text: 'Yes' }] })
  const { exitCode } = await world.parley('-m', 'another', 'exec', 'hi')
  expect(exitCode).toBe(0)
  expect(world.model.requests[0]?.body).toMatchObject({ model: 'another' })
})

test('an unknown key is a warning that names the one meant', async () => {
  await using world = await execWorld({ steps: [{ text: 'Yes' }], provider: 'stream_max_retrie = 1' })
  const { exitCode, stderr } = await world.exec(['hi'])
  expect(exitCode).toBe(0)
  expect(stderr).toMatch(/config.toml:\d+: unknown key .*stream_max_retrie". Did you mean "stream_max_retries"/)
})
