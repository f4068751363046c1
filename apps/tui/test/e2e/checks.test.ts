import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { execWorld, shell } from './exec-world.ts'

describe('what a command would come to', () => {
  test('is said by parley policy test, and by its exit code', async () => {
    await using world = await execWorld()
    await writeFile(
      join(world.env.PARLEY_HOME, 'policy.toml'),
      '[[rule]]\ndecision = "deny"\ncommand = ["curl"]\nreason = "nothing is fetched here"\n',
    )
    await writeFile(world.path('new.toml'), '[[rule]]\ndecision = "allow"\ncommand = ["curl", "x"]\n')
    const judged = (...words: readonly string[]) => world.parley('policy', 'test', ...words)
    const denied = await judged('ls && curl x')
    expect(denied.exitCode).toBe(11)
    expect(denied.stdout).toMatch(
      /^denied: ls && curl x\n {2}why {5}nothing is fetched here\n {2}rule .*policy\.toml:1\n/,
    )
    expect(denied.stdout).toMatch(/each by itself:\n {4}allowed {2}ls .*\n {4}denied {3}curl x .*\n/)
    const allowed = await judged('-s', 'danger-full-access', '--rules', 'new.toml', '--json', '--', 'curl', 'x')
    expect(allowed.exitCode).toBe(0)
    expect(JSON.parse(allowed.stdout)).toMatchObject({ verdict: 'allow', argv: ['curl', 'x'], enforcement: 'none' })
    expect(await judged()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Give a command') })
    expect(await judged('-C', '.', '--conversation', 'x')).toMatchObject({ exitCode: 2 })
  })
})

describe('what became of the calls of a conversation', () => {
  test('is said by parley why, and judged again by parley policy test --conversation', async () => {
    await using world = await execWorld({ steps: [shell('ls', 'touch \x1b[2Jmade'), { text: 'Done.' }] })
    await world.exec(['go'])
    await writeFile(world.path('new.toml'), '[[rule]]\ndecision = "deny"\ncommand = ["ls"]\n')
    const newest = await world.parley('why')
    expect(newest.stdout).toMatch(/touch \\x1b\[2Jmade/)
    expect(newest.stdout).not.toContain('\x1b')
    expect(newest.stdout).toMatch(/commands +cannot be told for certain: it contains control characters/)
    expect(newest.stdout).toMatch(/settings then +approvals [a-z-]+, sandbox workspace-write/)
    const { stdout: json } = await world.parley('why', 'ls', '--json')
    expect(JSON.parse(json)).toMatchObject({ item: { title: 'ls', status: 'completed' }, calls: 2 })
    const [id = ''] = (await world.parley('list')).stdout.split(' ')
    expect((await world.parley('why', id, '2')).stdout).toMatch(/call +shell: ls\n/)
    const same = await world.parley('policy', 'test', '--conversation', id)
    expect(same).toMatchObject({ exitCode: 0, stdout: `Nothing would change for 2 calls of ${id}.\n` })
    const other = await world.parley('policy', 'test', '--conversation', id, '--rules', 'new.toml')
    expect(other.exitCode).toBe(12)
    expect(other.stdout).toMatch(/^allowed → denied: ls\n[\s\S]*new\.toml:1[\s\S]*1 of 2 calls .* would change\.\n$/)
    expect(`${same.stdout}${other.stdout}`).not.toContain('\x1b')
    expect(await world.parley('why', 'nothing-like-it')).toMatchObject({ exitCode: 5 })
  })
})

describe('parley doctor', () => {
  test('says what is well and what is not, and where a server does not start, why', async () => {
    await using world = await execWorld()
    const well = await world.shell('parley doctor --json')
    const checks = Object.fromEntries(well.lines().map((line) => [JSON.parse(line).name, JSON.parse(line).level]))
    expect(checks).toMatchObject({
      node: 'ok',
      home: 'ok',
      configuration: 'ok',
      rules: 'ok',
      provider: expect.any(String),
    })
    await world.writeConfig('sandbox_mode = "none"\n')
    const { exitCode, stdout } = await world.parley('doctor', '--no-provider')
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^PROBLEM {2}configuration .*sandbox_mode/m)
    expect(stdout).not.toMatch(/provider/)
    expect(stdout).toMatch(/\n\d problems?, .*\.\n$/)
  })
})
