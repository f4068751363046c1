import { existsSync } from 'node:fs'
import { chmod, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { connect, spawnServer } from '@parley/client'
import { cliPath } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

describe('a run whose conversation cannot be kept ends with 9', () => {
  test('when the disk takes no more in the middle of it', async () => {
    await using world = await execWorld({ steps: [{ text: 'x'.repeat(60_000), chunks: 40, delayMs: 2 }] })
    // In KiB; the log outgrows it.
    const { stdout, stderr } = await world.shell('ulimit -f 16; parley exec --json hi; echo "$?" >&2')
    const end = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    expect(end).toMatchObject({ type: 'run.ended', exitCode: 9, answer: null, failure: { code: 'storageFailed' } })
    expect(stderr).toMatch(/could not be saved .*\n9\n$/s)
  })

  test('but one that was stopped by then says so, and ends as stopped', async () => {
    await using world = await execWorld({ steps: [{ hang: 'mid', text: 'half of it', chunks: 4 }] })
    await using run = world.start(['--json', 'hi'])
    await expect.poll(run.stdout, { timeout: 30_000 }).toContain('item.delta')
    const sessions = join(world.env.PARLEY_HOME, 'sessions')
    await rename(sessions, `${sessions}.bak`)
    run.signal('SIGINT')
    const { exitCode, stderr } = await run.result
    expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: expect.stringContaining('was moved away') })
  })

  test.each([
    ['deleted', 'rm'],
    ['emptied', 'truncate -s 0'],
    ['replaced', 'sed -i s/hi/ho/'],
  ])('when its log is %s, and refuses the messages that come after that', async (_, change) => {
    await using world = await execWorld({ steps: [{ text: 'One.' }, { text: 'Two.' }] })
    await using run = world.live(['--json', '--input-format', 'jsonl'])
    const say = (text: string) => run.write(`${JSON.stringify({ type: 'message', text })}\n`)
    say('hi')
    await expect.poll(run.stdout, { timeout: 30_000 }).toContain('"turn.ended"')
    await world.shell(`${change} $(find "$PARLEY_HOME/sessions" -name "*.jsonl")`)
    say('second')
    say('third')
    run.closeStdin()
    const { exitCode, stdout } = await run.result
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(exitCode).toBe(9)
    expect(lines.flatMap(({ type, line }) => (type === 'input.rejected' ? [line] : [])).sort()).toEqual([2, 3])
    expect(lines.at(-1)).toMatchObject({ type: 'run.ended', exitCode: 9 })
  })

  test('when its folder cannot be made', async () => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }] })
    await writeFile(join(world.env.PARLEY_HOME, 'sessions'), '')
    const { result, end } = await world.execJson(['hi'])
    expect(result.exitCode).toBe(9)
    expect(end).toMatchObject({ conversationId: null, failure: { code: 'storageFailed' } })
    expect(result.stderr).toMatch(/^parley: The conversation could not be saved .*\n$/)
    expect(world.model.requests).toHaveLength(0)
  })

  test.runIf(process.getuid?.() !== 0)('when its home may not be written to', async () => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }] })
    await chmod(world.env.PARLEY_HOME, 0o500)
    const { exitCode, stderr } = await world.exec(['hi'])
    await chmod(world.env.PARLEY_HOME, 0o700)
    expect({ exitCode, stderr }).toEqual({
      exitCode: 9,
      stderr: expect.stringContaining('no permission). Check the owner of $PARLEY_HOME'),
    })
  })
})

describe('parley rescue', () => {
  test.each([
    ['deleted', 'rm'],
    ['emptied', 'truncate -s 0'],
    ['replaced', 'sed -i s/hi/ho/'],
  ])('saves a conversation whose log was %s while it is open', async (_, change) => {
    await using world = await execWorld({ steps: [{ text: 'One.' }] })
    const server = spawnServer({
      command: [process.execPath, join(dirname(cliPath), 'server.mjs')],
      env: { ...process.env, ...world.env },
      home: world.env.PARLEY_HOME,
    })
    await using parley = await connect({ server }, { name: 'person' })
    const conversation = await parley.create({ cwd: world.cwd })
    const turn = await conversation.send('hi')
    await turn.result
    await world.shell(`${change} $(find "$PARLEY_HOME/sessions" -name "*.jsonl")`)
    const saved = await world.parley('rescue', conversation.id.slice(-8))
    expect(saved).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/parley resume \w{8}\n$/) })
    const [, copy = ''] = /resume (\w+)/.exec(saved.stdout) ?? []
    expect((await world.parley('show', copy)).stdout).toMatch(/hi[\s\S]*One\./)
    expect(await world.parley('rescue', copy)).toMatchObject({ exitCode: 5 })
  })
})

describe('a home', () => {
  test('is found by the account when no variable names one', async () => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }] })
    const env = { PARLEY_HOME: world.env.PARLEY_HOME, HOME: undefined }
    expect(await world.spawn(['hi'], { env })).toMatchObject({ exitCode: 0, stdout: 'Fine.\n' })
  })

  test('in an empty variable is not the working folder', async () => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }] })
    const env = { HOME: world.home, PARLEY_HOME: '' }
    expect(await world.spawn(['hi'], { env })).toMatchObject({ exitCode: 0 })
    expect(await readdir(world.cwd)).toEqual([])
    expect(await readdir(join(world.env.PARLEY_HOME, 'sessions'))).toHaveLength(1)
  })

  test.runIf(existsSync('/proc/self'))('where no folder can be made ends the run at once', async () => {
    await using world = await execWorld()
    const env = { ...world.env, PARLEY_HOME: '/proc/parley-nowhere', OPENAI_API_KEY: 'x' }
    const { exitCode, stderr } = await world.exec(['-m', 'm', 'hi'], { env })
    expect({ exitCode, stderr }).toEqual({ exitCode: 9, stderr: expect.stringContaining('ENOENT') })
  })

  test('that is no folder is a usage error', async () => {
    await using world = await execWorld()
    await writeFile(world.path('file'), '')
    const { exitCode, stderr } = await world.exec(['hi'], { env: { ...world.env, PARLEY_HOME: world.path('file') } })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(/config\.toml: cannot be read \(ENOTDIR: not a directory\)\.\n$/),
    })
  })
})

describe('--ephemeral', () => {
  test('leaves no conversation behind, and promises none', async () => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }, { status: 400 }] })
    expect(await world.exec(['--ephemeral', 'hi'])).toMatchObject({ exitCode: 0, stdout: 'Fine.\n' })
    const failed = await world.exec(['--ephemeral', 'hi'])
    expect(failed.exitCode).toBe(1)
    expect(failed.stderr).not.toContain('resume')
    const kept = ['sessions', 'prompts.jsonl', 'scratch']
    expect((await readdir(world.env.PARLEY_HOME)).filter((name) => kept.includes(name))).toEqual([])
    const list = await world.parley('list')
    expect(list).toMatchObject({ exitCode: 0, stdout: '', stderr: 'No conversations yet. `parley` starts one.\n' })
  })

  test('works where nothing can be kept', async () => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }] })
    await rm(join(world.env.PARLEY_HOME, 'logs'), { recursive: true, force: true })
    await writeFile(join(world.env.PARLEY_HOME, 'logs'), '')
    await writeFile(join(world.env.PARLEY_HOME, 'sessions'), '')
    expect(await world.exec(['--ephemeral', 'hi'])).toMatchObject({ exitCode: 0, stdout: 'Fine.\n' })
  })
})
