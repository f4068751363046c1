import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { parsePolicyText, readPolicyFile } from '../../src/policy-file/read-policy-file.ts'

const good = `
# comment
[[rule]]
decision = "allow"
command = ["npm", ["test", "run"]]
reason = """
[[rule]]
"""

  [[ rule ]]
decision = "deny"
path = "secret/**"

[["rule"]]
decision = "ask"
tool = "search"
`

describe('a policy file', () => {
  it('gives rights beyond the sandbox in the user’s own file only', () => {
    const text = '[[rule]]\ndecision = "allow"\ncommand = ["git", "commit"]\noutside_sandbox = true\n'
    const own = parsePolicyText(text, 'p', { mayWiden: true })
    expect(own.problems).toEqual([])
    expect(own.rules).toMatchObject([{ target: { prefix: [['git'], ['commit']], grants: ['outsideSandbox'] } }])
    const other = parsePolicyText(text, 'p')
    expect(other.rules).toEqual([])
    expect(other.problems).toMatchObject([
      { line: 4, message: expect.stringContaining('only in policy.toml of your own') },
    ])
    for (const bad of [
      'decision = "deny"\ncommand = ["git"]\nnetwork = true',
      'decision = "allow"\ntool = "shell"\nnetwork = true',
    ])
      expect(parsePolicyText(`[[rule]]\n${bad}\n`, 'p', { mayWiden: true }).problems).toMatchObject([{ line: 4 }])
  })

  it('gives its rules with the line of each', () => {
    const { rules, problems } = parsePolicyText(good, 'policy.toml')
    expect(problems).toEqual([])
    expect(rules).toEqual([
      {
        decision: 'allow',
        target: { kind: 'command', prefix: [['npm'], ['test', 'run']] },
        source: { file: 'policy.toml', line: 3 },
        reason: '[[rule]]\n',
      },
      { decision: 'deny', target: { kind: 'path', pattern: 'secret/**' }, source: { file: 'policy.toml', line: 10 } },
      { decision: 'ask', target: { kind: 'tool', tool: 'search' }, source: { file: 'policy.toml', line: 14 } },
    ])
  })

  it('names MCP tools as server and tool', () => {
    const { rules } = parsePolicyText('rule = [{decision = "allow", mcp = "files/read_*"}]', 'p')
    expect(rules).toMatchObject([{ target: { kind: 'mcp', pattern: 'files/read_*' } }])
    const { problems } = parsePolicyText('rule = [{decision = "allow", mcp = "files"}]', 'p')
    expect(problems).toMatchObject([{ message: expect.stringContaining('SERVER/TOOL') }])
  })

  it('with inline rules has rules without a line', () => {
    const { rules } = parsePolicyText('rule = [{decision = "deny", tool = "x"}]', 'p')
    expect(rules).toEqual([{ decision: 'deny', target: { kind: 'tool', tool: 'x' }, source: { file: 'p' } }])
  })

  it('with a problem keeps the rules that ask and deny and drops those that allow', () => {
    const { rules, problems } = parsePolicyText(`${good}\n[[rule]]\ndecision = "deny"\ncomand = ["x"]\n`, 'p')
    expect(rules.map(({ decision }) => decision)).toEqual(['deny', 'ask'])
    expect(problems).toContainEqual({
      file: 'p',
      line: 20,
      message: 'rule[3].comand: unknown key (did you mean command?)',
    })
  })

  it.each([
    ['rules = []', 1, 'rules: unknown key (did you mean rule?)'],
    ['[[rule]]\ntool = "x"\ndecision = "maybe"', 3, 'rule[0].decision: '],
    [
      '[[rule]]\ndecision = "ask"\ntool = "x"\npath = "y"',
      1,
      'rule[0]: needs exactly one of command, tool, path and mcp',
    ],
    ['[[rule]]\ndecision = "ask"', 1, 'rule[0]: needs exactly one'],
    ['[[rule]]\ndecision = "ask"\ncommand = []', 3, 'rule[0].command: '],
    ['[[rule]]\ndecision = "ask"\ncommand = ["a", []]', 3, 'rule[0].command[1]'],
    ['[[rule]]\ndecision = "ask"\npath = "~/x"', 3, 'rule[0].path: ~ is not expanded'],
    ['[[rule]]\ndecision = "ask"\npath = "../x"', 3, 'rule[0].path: .. is not allowed'],
    [`[[rule]]\ndecision = "ask"\npath = "${'**/'.repeat(65)}"`, 3, 'rule[0].path: has more than 64 names'],
    [`[[rule]]\ndecision = "ask"\npath = "${'a'.repeat(4097)}"`, 3, 'rule[0].path: has more than 4096 characters'],
    ['[[rule]]\ndecision = "ask"\npath = "{a,b}"', 3, 'rule[0].path: only *, ** and ?'],
    ['rule = 3', 1, 'rule: '],
    ['[[rule]]\nrule = = 3', 2, ''],
    ['\n[[rule', 2, ''],
  ])('%j is a problem on line %i', (text, line, start) => {
    const { problems, rules } = parsePolicyText(text, 'p')
    expect(rules).toEqual([])
    expect(problems[0]).toMatchObject({ file: 'p', line })
    expect(problems[0]?.message.startsWith(start)).toBe(true)
  })

  it('has no rules when it is missing, and a problem when it cannot be read', async () => {
    await using directory = await tempDirectory()
    expect(await readPolicyFile(join(directory.path, 'none.toml'))).toEqual({ rules: [], problems: [] })
    expect((await readPolicyFile(directory.path)).problems[0]?.message).toMatch(/^cannot be read/)
    const file = join(directory.path, 'policy.toml')
    await writeFile(file, good)
    expect((await readPolicyFile(file)).rules).toHaveLength(3)
  })

  it('that is a link to what is not there is a problem: its rules may have been limits', async () => {
    await using directory = await tempDirectory()
    const file = join(directory.path, 'policy.toml')
    const target = join(directory.path, 'dotfiles/policy.toml')
    await symlink(target, file)
    const { rules, problems } = await readPolicyFile(file)
    expect(rules).toEqual([])
    expect(problems).toEqual([
      {
        file,
        message: `cannot be read: ${file} is a link to ${target}, which is not there. Bring that back, or remove the link.`,
      },
    ])
  })
})

describe('examples in a policy file', () => {
  const rule = 'decision = "allow"\ncommand = ["git", ["add", "stage"]]'

  it('change nothing where the rule judges them as they say', () => {
    const text = `[[rule]]\n${rule}\nmatch = ["git add 'a b'", ["git", "stage"]]\nnot_match = ["git push", "gitk"]\n`
    const { rules, problems } = parsePolicyText(text, 'p')
    expect(problems).toEqual([])
    expect(rules).toMatchObject([{ target: { kind: 'command' } }])
  })

  it.each([
    [`${rule}\nmatch = ["git add", "git push"]`, 'rule[0].match[1]: "git push" is not covered by this rule', 4],
    [`${rule}\nnot_match = ["git add x"]`, 'rule[0].not_match[0]: "git add x" is covered by this rule', 4],
    ['decision = "deny"\npath = "secret/**"\nmatch = ["other/x"]', 'rule[0].match[0]: "other/x" is not covered', 4],
    ['decision = "ask"\nmcp = "web/*"\nnot_match = ["web/fetch"]', 'rule[0].not_match[0]: "web/fetch" is covered', 4],
    ['decision = "ask"\ntool = "search"\nmatch = ["read_file"]', 'rule[0].match[0]: "read_file" is not covered', 4],
  ])('are a problem where it does not, which drops the allow rules: %s', (body, message, line) => {
    const { rules, problems } = parsePolicyText(`[[rule]]\n${body}\n`, 'p')
    expect(problems).toMatchObject([{ line, message: expect.stringContaining(message) }])
    expect(rules.filter(({ decision }) => decision === 'allow')).toEqual([])
  })
})
