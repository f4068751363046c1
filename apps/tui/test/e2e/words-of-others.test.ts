import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { execWorld, saidToModel, shell } from './exec-world.ts'

describe('words of Claude Code', () => {
  test('--print answers, and --continue, --resume and a bare -c go on with the conversation', async () => {
    await using world = await execWorld({
      steps: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }, { text: 'Four.' }, { text: 'Five.' }],
    })
    expect(await world.parley('--print', 'first', '--ephemeral')).toMatchObject({ exitCode: 0, stdout: 'One.\n' })
    const { end } = await world.execJson(['second'])
    expect(await world.parley('--print', '--continue', 'third')).toMatchObject({ exitCode: 0, stdout: 'Three.\n' })
    expect(await world.parley('--print', '--resume', end.conversationId, 'fourth')).toMatchObject({ stdout: 'Four.\n' })
    expect(await world.parley('exec', 'fifth', '-c')).toMatchObject({ exitCode: 0, stdout: 'Five.\n' })
    expect(saidToModel(world)).toMatch(/"second".*"third".*"fourth".*"fifth"/)
  })

  test('-c with a message goes on with nothing, and says both spellings', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }] })
    await world.exec(['first'])
    const { exitCode, stdout, stderr } = await world.parley('exec', '-c', 'fix it')
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/write -c KEY=VALUE; .* write --continue/)
    expect(world.model.requests).toHaveLength(1)
  })

  test.each([
    'fix the bug',
    'a b',
    ' ',
    'explain\nthis',
    'what is wrong here?',
    'model = x',
    'résumé bitte',
    '- a list',
    'exec now',
    'two  blanks',
    'tab\there',
    'ends with ',
  ])('-p %j, which no profile is called, says how a prompt is given', async (prompt) => {
    await using world = await execWorld({ steps: [{ text: 'never' }] })
    const { exitCode, stdout, stderr } = await world.parley('exec', '-p', prompt, 'hi')
    expect({ exitCode, stdout, requests: world.model.requests.length }).toEqual({
      exitCode: 2,
      stdout: '',
      requests: 0,
    })
    expect(stderr).toMatch(prompt.trim() === '' ? /must not be empty/ : /write parley exec "PROMPT"/)
  })

  test('-p with a profile whose name has a blank is that profile', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }] })
    const config = await readFile(join(world.env.PARLEY_HOME, 'config.toml'), 'utf8')
    await world.writeConfig(`${config}\n[profiles."fix the bug"]\nmodel = "of-profile"\n`)
    expect(await world.exec(['-p', 'fix the bug', 'hi'])).toMatchObject({ exitCode: 0 })
    expect(world.model.requests[0]?.body).toMatchObject({ model: 'of-profile' })
  })

  test('a flag that is not here is refused with the way there is', async () => {
    await using world = await execWorld({ steps: [{ text: 'never' }] })
    const { exitCode, stderr } = await world.exec(['--allowedTools', 'Bash', 'hi'])
    expect({ exitCode, requests: world.model.requests.length }).toEqual({ exitCode: 2, requests: 0 })
    expect(stderr).toContain('--policy FILE')
  })
})

describe('flags of codex exec', () => {
  test('that have no effect here warn, and the run goes on', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }] })
    const flags = ['--color', 'always', '--enable', 'web_search', '--disable', 'hooks']
    const { exitCode, stdout, stderr } = await world.exec([...flags, 'hi'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'One.\n' })
    for (const flag of ['--color always', '--enable web_search', '--disable hooks'])
      expect(stderr).toContain(`parley: ${flag} has no effect`)
  })

  test('--color never and auto are as it is', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }, { text: 'Two.' }] })
    for (const when of ['never', 'auto'])
      expect((await world.exec(['--color', when, 'hi'])).stderr).not.toContain('no effect')
  })

  test.each(['--dangerously-bypass-approvals-and-sandbox', '--yolo'])('%s is full access, unasked', async (flag) => {
    await using world = await execWorld({ steps: [shell('touch ../outside && rm -f ../outside'), { text: 'Done.' }] })
    const { end, events } = await world.execJson([flag, 'hi'])
    expect(end).toMatchObject({ exitCode: 0, denials: [] })
    expect(JSON.stringify(events)).toContain('"sandbox":"danger-full-access"')
  })

  test('--oss asks Ollama, and --local-provider another one', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }, { text: 'Two.' }] })
    const config = await readFile(join(world.env.PARLEY_HOME, 'config.toml'), 'utf8')
    const provider = (id: string) =>
      `[model_providers.${id}]\nbase_url = "${world.model.url}"\nwire_api = "responses"\nquery_params = { of = "${id}" }\n`
    await world.writeConfig(`${config}\n${provider('ollama')}\n${provider('lmstudio')}`)
    expect(await world.exec(['--oss', 'hi'])).toMatchObject({ exitCode: 0, stdout: 'One.\n' })
    const other = await world.exec(['--oss', '--local-provider', 'lmstudio', 'hi'])
    expect(other).toMatchObject({ exitCode: 0, stdout: 'Two.\n' })
    expect(world.model.requests.map(({ path }) => path)).toEqual([
      expect.stringContaining('of=ollama'),
      expect.stringContaining('of=lmstudio'),
    ])
  })

  test('--full-auto is the sandbox that lets the folder be written', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }] })
    const { end, events } = await world.execJson(['--full-auto', 'hi'])
    expect(end.exitCode).toBe(0)
    expect(JSON.stringify(events)).toMatch(/"sandbox":"workspace-write"/)
  })
})
