import { describe, expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'
import { place } from './interactive-program.ts'

describe('parley list', () => {
  test('has a line for each conversation, newest first', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }, { text: 'Two.' }] })
    await world.exec(['the first \x1b[31mtask'])
    const { end } = await world.execJson(['the second task'])
    const { exitCode, stdout } = await world.parley('list')
    expect(exitCode).toBe(0)
    const [newest, oldest, ...more] = stdout.split('\n')
    expect(newest).toMatch(new RegExp(`^${end.conversationId.slice(-8)}  now +\\S+  the second task$`))
    expect(oldest).toMatch(/ the first \\x1b\[31mtask$/)
    expect(more).toEqual([''])
  })

  test('on a terminal names its columns, and tells a fork with settings of its own from its original', async () => {
    await using at = await place([{ text: 'One.' }])
    await at.run('exec', 'the task')
    const id = JSON.parse((await at.run('list', '--json')).stdout).shortId
    const [, end = ''] = /(\d+) {2}the whole conversation$/m.exec((await at.run('fork', id)).stdout) ?? []
    await using fork = at.start('fork', id, '--at', end, '-m', 'another')
    await fork.waitFor(/One\.[\s\S]*another · /)
    fork.press('Ctrl+D')
    await fork.exited
    await using list = at.start('list')
    expect(await list.exited).toMatchObject({ exitCode: 0 })
    const [names, newest, oldest] = list.terminal.transcript()
    expect(names).toMatch(/^ID {8}UPDATED {2}FOLDER +TITLE$/)
    expect(newest).toMatch(new RegExp(`the task {2}\\[fork of ${id}\\]$`))
    expect(oldest).toMatch(new RegExp(`^${id}  now .*the task$`))
  })

  test('in JSON has an object a line, as many as are wanted', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }, { text: 'Two.' }] })
    await world.exec(['the first task'])
    await world.exec(['the second task'])
    const { stdout } = await world.parley('list', '--json', '--limit', '1')
    expect(JSON.parse(stdout)).toMatchObject({ title: 'the second task', cwd: world.cwd, live: null })
  })
})

describe('parley provider list', () => {
  test('shows the providers, their keys and the one that is chosen', async () => {
    await using world = await execWorld({ provider: 'env_key = "LOCAL_KEY"' })
    const { exitCode, stdout } = await world.shell('parley provider list', {
      env: { ...world.env, LOCAL_KEY: 'the-key-itself' },
    })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^\* +local .*LOCAL_KEY is set/m)
    expect(stdout).toMatch(/^ +groq +Groq +chat .*GROQ_API_KEY is not set$/m)
    expect(stdout).toMatch(/because model_provider names it\.$/m)
    expect(stdout).not.toContain('the-key-itself')
  })
})

describe('parley doctor net', () => {
  test('goes all the way to a token of the chosen provider', async () => {
    await using world = await execWorld({ steps: [{ text: 'OK' }] })
    const { exitCode, stdout } = await world.parley('doctor', 'net')
    expect(stdout).toMatch(/^ok +one token +scripted began its answer after \d+ ms$/m)
    expect(exitCode).toBe(0)
  })

  test('ends at the step that fails with exit code 1', async () => {
    await using world = await execWorld()
    await world.model[Symbol.asyncDispose]()
    const { exitCode, stdout } = await world.parley('doctor', 'net', 'local', '--json')
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ name: 'connection', level: 'problem' })
    expect(exitCode).toBe(1)
  })
})

describe('parley config', () => {
  test('shows each value with where it comes from', async () => {
    await using world = await execWorld()
    const { exitCode, stdout } = await world.parley('config', '-c', 'model_reasoning_effort=high', '-m', 'another')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^model +"another" +\(command line\)$/m)
    expect(stdout).toMatch(/^model_provider +"local" +\(\$PARLEY_HOME\/config\.toml\)$/m)
    expect(stdout).toMatch(/^model_reasoning_effort +"high" +\(-c\)$/m)
    expect(stdout).toMatch(/^sandbox_mode +"workspace-write" +\(default\)$/m)
  })

  test('in JSON is one object', async () => {
    await using world = await execWorld()
    const { stdout } = await world.parley('config', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ values: expect.any(Array), credentials: { found: true } })
  })

  test('of a file that cannot be read ends with 2', async () => {
    await using world = await execWorld()
    await world.writeConfig('model =')
    expect(await world.parley('config')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(':1:') })
  })
})

describe('the command line', () => {
  test.each([
    ['--help', /Usage: parley \[options\] \[command\] \[prompt\]/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
  ])('answers %s on stdout', async (args, words) => {
    await using world = await execWorld()
    const { exitCode, stdout, stderr } = await world.shell(`parley ${args}`)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(words)
  })

  test('refuses a wrong word with 2', async () => {
    await using world = await execWorld()
    const { exitCode, stdout, stderr } = await world.parley('lst')
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/There is no command "lst"\. Did you mean `parley list`\?/)
  })
})
