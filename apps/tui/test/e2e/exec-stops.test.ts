import { describe, expect, test } from 'vitest'
import { execWorld, fullAccess, jsonRun, shell } from './exec-world.ts'

const hanging = { hang: 'mid', text: 'half of an answer', chunks: 4 } as const

describe.concurrent('a run that is stopped ends the turn, keeps it and leaves nothing running:', () => {
  test.each<['SIGINT' | 'SIGTERM' | 'SIGHUP', number, string]>([
    ['SIGINT', 130, 'while the model speaks'],
    ['SIGTERM', 143, 'while the model speaks'],
    ['SIGINT', 130, 'while a command runs'],
    ['SIGHUP', 143, 'while a command runs'],
  ])('%s exits with %i %s', async (signal, exitCode, when) => {
    const running = when === 'while a command runs'
    await using world = await execWorld({ steps: [running ? shell('sleep 300') : hanging, { text: 'Here again.' }] })
    await using run = world.start(['--json', ...fullAccess, 'hi'])
    const begun = running ? '"execution.started"' : '"item.delta"'
    await expect.poll(run.stdout, { timeout: 30_000 }).toContain(begun)
    run.signal(signal)
    const { result, events, end } = jsonRun(await run.result)
    expect(result.exitCode).toBe(exitCode)
    expect(run.processes()).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'interrupted' })
    const failure = { code: 'stopped' }
    expect(end).toMatchObject({ type: 'run.ended', exitCode, outcome: 'interrupted', answer: null, failure })
    const resumed = await world.exec(['resume', end.conversationId, 'go on'])
    expect(resumed).toMatchObject({ exitCode: 0, stdout: 'Here again.\n' })
  })

  test('in plain words it says how to go on', async () => {
    await using world = await execWorld({ steps: [hanging] })
    await using run = world.start(['hi'])
    await expect.poll(run.stderr, { timeout: 30_000 }).toContain('half')
    run.signal('SIGINT')
    const { exitCode, stdout, stderr } = await run.result
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' })
    expect(stderr).toMatch(
      /· Interrupted by SIGINT\.\nparley: The conversation is saved. Go on with: parley exec resume [0-9a-f]{8} "…"\n$/,
    )
  })

  test('before there is a prompt', async () => {
    await using world = await execWorld()
    await using run = world.start([])
    await expect.poll(run.stderr, { timeout: 30_000 }).toContain('Waiting')
    run.signal('SIGTERM')
    expect((await run.result).exitCode).toBe(143)
    expect(run.processes()).toEqual([])
  })
})

describe.concurrent('the time limit', () => {
  test.each([
    ['of a model that says nothing', { hang: 'headers' } as const],
    ['of a model that does not come to an end', hanging],
    ['of a command', shell('sleep 300')],
    ['of a provider that is waited for', { status: 429, headers: { 'retry-after': '25' } }],
  ])('%s ends the run with 7', async (_name, step) => {
    await using world = await execWorld({ steps: [step] })
    const { result, end } = await world.execJson([...fullAccess, '--timeout', '2s', 'hi'])
    expect(result.exitCode).toBe(7)
    expect(end).toMatchObject({ exitCode: 7, outcome: 'interrupted', failure: { code: 'timeout' } })
    expect(result.stderr).toBe('parley: The time limit of 2 s ran out.\n')
  })

  test('bounds the wait for a prompt too', async () => {
    await using world = await execWorld()
    const { exitCode, stderr } = await world.exec(['--timeout', '0.5'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 7, stderr: 'parley: The time limit of 0.5 s ran out.\n' })
  })

  test('in time changes nothing', async () => {
    await using world = await execWorld({ steps: [{ text: 'Yes.' }] })
    expect(await world.exec(['--timeout', '1h', 'hi'])).toMatchObject({ exitCode: 0, stdout: 'Yes.\n' })
  })
})

describe.concurrent('a reader that leaves', () => {
  const long = { text: 'line\n'.repeat(100_000), chunks: 400 }

  test.each(['--json', ''])('is a normal end (%s)', async (flag) => {
    await using world = await execWorld({ steps: [long] })
    const { stdout } = await world.shell(`parley exec ${flag} hi 2>/dev/null | head -1; echo "\${PIPESTATUS[0]}"`)
    expect(stdout.split('\n').slice(-2)).toEqual(['0', ''])
    expect(stdout.split('\n')).toHaveLength(3)
  })

  test('of stderr is not missed', async () => {
    await using world = await execWorld({ steps: [{ text: 'a b c d', chunks: 4, delayMs: 50 }] })
    const { stdout } = await world.shell('parley exec hi 2> >(head -c 1 >/dev/null); echo $?')
    expect(stdout).toBe('a b c d\n0\n')
  })

  test('ends the turn, which is kept', async () => {
    await using world = await execWorld({ steps: [{ ...long, delayMs: 20 }, { text: 'Here again.' }] })
    await world.shell('parley exec --json hi | head -7')
    expect(await world.exec(['resume', '--last', 'go on'])).toMatchObject({ exitCode: 0, stdout: 'Here again.\n' })
  })
})

test('a reader that does not read cannot keep a run that was stopped', async () => {
  await using world = await execWorld({ steps: [{ text: 'x'.repeat(400_000), chunks: 400 }] })
  // The shell itself holds the pipe open, and reads nothing.
  const { stdout } = await world.shell('mkfifo pipe; exec 3<>pipe; parley exec --json --timeout 1 hi >pipe; echo $?')
  expect(stdout).toBe('7\n')
})
