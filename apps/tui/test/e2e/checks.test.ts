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
    const { stdout, stderr } = await world.shell(
      `parley policy test 'ls && curl x'; echo "exit $?"
       parley policy test -s danger-full-access --rules new.toml --json -- curl x; echo "exit $?"
       parley policy test; echo "exit $?"
       parley policy test -C . --conversation x; echo "exit $?"`,
    )
    const [first = '', second = '', third = '', fourth = ''] = stdout.split(/(?<=exit \d+\n)/)
    expect(first).toMatch(/^denied: ls && curl x\n {2}why {5}nothing is fetched here\n {2}rule .*policy\.toml:1\n/)
    expect(first).toMatch(/each by itself:\n {4}allowed {2}ls .*\n {4}denied {3}curl x .*\n/)
    expect(first).toMatch(/exit 11\n$/)
    const [line = '', exit] = second.split('\n')
    expect(JSON.parse(line)).toMatchObject({ verdict: 'allow', argv: ['curl', 'x'], enforcement: 'none' })
    expect(exit).toBe('exit 0')
    expect([third, fourth]).toEqual(['exit 2\n', 'exit 2\n'])
    expect(stderr).toMatch(/Give a command/)
  })
})

describe('what became of the calls of a conversation', () => {
  test('is said by parley why, and judged again by parley policy test --conversation', async () => {
    await using world = await execWorld({ steps: [shell('ls', 'touch \x1b[2Jmade'), { text: 'Done.' }] })
    await world.exec(['go'])
    await writeFile(world.path('new.toml'), '[[rule]]\ndecision = "deny"\ncommand = ["ls"]\n')
    const { stdout } = await world.shell(
      `parley why; echo "exit $?"
       parley why ls --json; echo "exit $?"
       id=$(parley list | cut -d' ' -f1)
       parley why "$id" 2 | head -n 2
       parley policy test --conversation "$id"; echo "exit $?"
       parley policy test --conversation "$id" --rules new.toml; echo "exit $?"
       parley why nothing-like-it; echo "exit $?"`,
    )
    const parts = stdout.split(/(?<=exit \d+\n)/)
    expect(parts[0]).toMatch(/touch \\x1b\[2Jmade/)
    expect(parts[0]).toMatch(/commands +cannot be told for certain: it contains control characters/)
    expect(parts[0]).toMatch(/settings then +approvals [a-z-]+, sandbox workspace-write/)
    const [json = ''] = (parts[1] ?? '').split('\n')
    expect(JSON.parse(json)).toMatchObject({ item: { title: 'ls', status: 'completed' }, calls: 2 })
    expect(parts[2]).toMatch(/call +shell: ls\nNothing would change for 2 calls of [0-9a-f]{8}\.\nexit 0\n$/)
    expect(parts[3]).toMatch(
      /^allowed → denied: ls\n[\s\S]*new\.toml:1[\s\S]*1 of 2 calls .* would change\.\nexit 12\n$/,
    )
    expect(parts[4]).toBe('exit 5\n')
    expect(stdout).not.toContain('\x1b')
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
    const { exitCode, stdout } = await world.shell('parley doctor --no-provider')
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^PROBLEM {2}configuration .*sandbox_mode/m)
    expect(stdout).not.toMatch(/provider/)
    expect(stdout).toMatch(/\n\d problems?, .*\.\n$/)
  })
})
