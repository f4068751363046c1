import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { applyPatch, execWorld, fullAccess, shell, toldModel } from './exec-world.ts'

const rules = `
[[rule]]
decision = "allow"
command = ["touch"]

[[rule]]
decision = "deny"
command = ["rm"]
reason = "nothing is deleted here"
`

describe('where nobody can be asked', () => {
  test('a call that needs a yes is not run, the model is told, and an answer is still an answer', async () => {
    await using world = await execWorld({ steps: [shell('touch made'), { text: 'I could not.' }] })
    const { result, end } = await world.execJson(['hi'])
    expect(result.exitCode).toBe(0)
    expect(end.answer).toBe('I could not.')
    expect(end.denials).toEqual([
      expect.objectContaining({ title: 'touch made', reason: expect.stringContaining('nobody is there to answer') }),
    ])
    expect(toldModel(world)[0]).toMatch(/^Not run: nobody is there to answer in this scripted run/)
    expect(existsSync(world.path('made'))).toBe(false)
  })

  test('so is a patch', async () => {
    const steps = [applyPatch('*** Add File: made', '+x'), { text: 'I could not.' }]
    await using world = await execWorld({ steps })
    const { exitCode, stderr } = await world.exec(['hi'])
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/± .*made → not run: nobody to ask; .*\[builtin:/)
    expect(stderr).toContain('parley: 1 request was not allowed. Ways out: rules in a --policy file')
    expect(existsSync(world.path('made'))).toBe(false)
  })

  test('the event of its question names every file and has every added line', async () => {
    const hunks = ['*** Delete File: large.txt', '*** Add File: made', '+curl example.invalid']
    const files = { 'large.txt': 'a line that is removed\n'.repeat(40_000) }
    await using world = await execWorld({ files, steps: [applyPatch(...hunks), { text: 'I could not.' }] })
    const { events } = await world.execJson(['hi'])
    expect(events.find(({ type }) => type === 'approval.requested')).toMatchObject({
      approval: {
        files: [
          { path: 'made', kind: 'add', additions: 1 },
          { path: 'large.txt', kind: 'delete', deletions: 40_000, deletedBytes: 920_000 },
        ],
        detail: expect.stringMatching(/\+curl example\.invalid[\s\S]*… 40000 removed lines not shown: 920000 bytes/),
      },
    })
  })

  test('a turn that could not finish without it ends with 4', async () => {
    await using world = await execWorld({ steps: [shell('touch made'), { text: '' }] })
    const { exitCode, stdout, stderr } = await world.exec(['hi'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' })
    expect(stderr).toContain('1 request was not allowed')
  })

  test('nothing is asked with full access', async () => {
    await using world = await execWorld({ steps: [shell('touch made'), { text: 'Done.' }] })
    expect(await world.exec([...fullAccess, 'hi'])).toMatchObject({ exitCode: 0, stdout: 'Done.\n' })
    expect(existsSync(world.path('made'))).toBe(true)
  })
})

describe('the rules of --policy answer', () => {
  test('and the rule that forbids is named', async () => {
    const steps = [shell('touch in/made', 'rm in/made'), { text: 'Done.' }]
    await using world = await execWorld({ files: { 'ci.toml': rules, 'in/x': '' }, steps })
    const { exitCode, stderr } = await world.exec(['--policy', 'ci.toml', 'hi'])
    expect(exitCode).toBe(0)
    expect(existsSync(world.path('in/made'))).toBe(true)
    expect(stderr).toMatch(/\$ rm in\/made → not run: nothing is deleted here \[.*, .*\/ci\.toml:6\]/)
    expect(toldModel(world)[1]).toMatch(/nothing is deleted here .*ci\.toml:6/)
  })

  test('from where the command was typed, whatever --cd says', async () => {
    const steps = [shell('touch in/made'), { text: 'Done.' }]
    await using world = await execWorld({ files: { 'ci.toml': rules, 'sub/in/x': '' }, steps })
    expect((await world.exec(['-C', 'sub', '--policy', 'ci.toml', 'hi'])).exitCode).toBe(0)
    expect(existsSync(world.path('sub/in/made'))).toBe(true)
  })

  test('also when a conversation goes on, and stay with it from its beginning on', async () => {
    const again = [shell('touch made'), { text: 'Done.' }]
    await using world = await execWorld({
      files: { 'ci.toml': rules },
      steps: [{ text: 'Hello.' }, ...again, ...again],
    })
    await world.exec(['hi'])
    const { end } = await world.execJson(['resume', '--last', '--policy', 'ci.toml', 'go on'])
    expect(end.denials).toEqual([])
    const unruled = await world.execJson(['resume', '--last', 'go on'])
    expect(unruled.end.denials).toHaveLength(1)
    world.model.script([{ text: 'Hello.' }, ...again])
    await world.exec(['--policy', 'ci.toml', 'hi'])
    expect((await world.execJson(['resume', '--last', 'go on'])).end.denials).toEqual([])
  })

  test('and are missed when they are gone', async () => {
    await using world = await execWorld({ files: { 'ci.toml': rules }, steps: [{ text: 'Hello.' }] })
    await world.exec(['--policy', 'ci.toml', 'hi'])
    await world.shell('rm ci.toml')
    const { exitCode, stderr } = await world.exec(['resume', '--last', 'go on'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('is gone: ') })
  })

  test('unless one of them is wrong: then nothing runs', async () => {
    await using world = await execWorld({ files: { 'ci.toml': '\n[[rule]]\ndecision = "alow"\ncommand = ["ls"]\n' } })
    const { exitCode, stderr } = await world.exec(['--policy', 'ci.toml', 'hi'])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/ci\.toml:3: .*expected one of "allow"\|"ask"\|"deny"/)
    expect(world.model.requests).toHaveLength(0)
  })
})
