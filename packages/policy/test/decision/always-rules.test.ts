import { codePoint } from '@parley/testkit/code-point'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alwaysRulesFor } from '../../src/decision/always-rules.ts'
import { type DecideSettings, decide } from '../../src/decision/decide.ts'
import type { Facts } from '../../src/decision/facts.ts'
import type { CommandFacts } from '../../src/decision/kinds/command/facts.ts'
import type { Rule } from '../../src/decision/rules/rules.ts'
import { parsePolicyText } from '../../src/policy-file/read-policy-file.ts'
import { command, commandRule, mcp, other, part, patch, read, rule } from './sample-facts.ts'

const asking: DecideSettings = {
  rules: [],
  sessionGrants: [],
  approvalPolicy: 'on-request',
  sandboxMode: 'workspace-write',
  enforcement: 'none',
}

const one = (...argv: string[]) => command([part(argv)])
const label = (facts: Facts, settings = asking) => alwaysRulesFor(facts, settings)?.label ?? null

describe('approval for always', () => {
  it.each([
    [['npm', 'test'], 'npm test'],
    [['npm', 'test', '--', '-u'], 'npm test -- …'],
    [['npm', 'run', 'lint'], 'npm run lint'],
    [['cargo', 'build', '--release'], 'cargo build --release'],
    [['cargo', 'test', 'fast', '--', '--nocapture'], 'cargo test fast -- …'],
    [['go', 'vet', './...'], 'go vet ./...'],
    [['touch', 'a b'], 'touch "a b"'],
    [['cp', 'a', 'b'], 'cp a b'],
    [['tsc'], 'tsc'],
  ])('of %j allows %s', (argv, expected) => {
    expect(label(one(...argv))).toBe(expected)
  })

  it.each(
    [
      'sh -c ls',
      'bash x.sh',
      'env ls',
      'xargs rm',
      'sudo ls',
      'python3 x.py',
      'python3.12 x.py',
      'node x.js',
      'npx tsc',
      'npm exec tsc',
      'npm install x',
      'npm publish',
      'npm run -s',
      'npm',
      'cargo install x',
      'cargo run',
      'go run .',
      'git push',
      'git status',
      'rm x',
      'mv a b',
      'find . -name x',
      'curl http://x',
      'ssh host',
      'docker ps',
      'make test',
      'kill 1',
      'chmod +x a',
      'eval ls',
      'bash-5.2 x',
      'setpriv ls',
      'poetry run x',
      'nix run x',
      'psql -c x',
      './build.sh',
      '/usr/bin/touch a',
    ].map((text) => text.split(' ')),
  )('is not offered for %j', (...argv) => {
    expect(label(one(...argv))).toBeNull()
  })

  it.each<[string, Partial<CommandFacts>]>([
    ['the command is not understood', { understood: false, parts: [] }],
    ['the command is dangerous', { dangerous: 'it does' }],
    ['the command touches secrets', { touchesSecret: '/s' }],
    ['the command asks to leave the sandbox', { escalation: { reason: 'r' } }],
    ['the command goes on in the background', { background: true }],
  ])('is not offered where %s', (_why, changed) => {
    expect(label({ ...one('npm', 'test'), ...changed })).toBeNull()
    expect(
      label({ ...one('npm', 'test'), ...changed }, { ...asking, enforcement: 'full', approvalPolicy: 'untrusted' }),
    ).toBeNull()
  })

  describe('that gives more than the sandbox does', () => {
    const sandboxed: DecideSettings = { ...asking, enforcement: 'full' }
    const asks = (changed: Partial<CommandFacts>, ...argv: string[]) => ({ ...one(...argv), ...changed })
    const outside = { escalation: { reason: 'r' } }
    const network = { network: { reason: 'r' } }

    it.each<[Partial<CommandFacts>, string, string, string]>([
      [outside, 'git commit -m x', 'git commit …', 'command = ["git", "commit"]\noutside_sandbox = true\n'],
      [outside, 'git add .', 'git add …', 'command = ["git", "add"]\noutside_sandbox = true\n'],
      [outside, 'git push', 'git push', 'command = ["git", "push"]\nexact = true\noutside_sandbox = true\n'],
      [network, 'npm install', 'npm install', 'command = ["npm", "install"]\nexact = true\nnetwork = true\n'],
      [network, 'npm ci', 'npm ci', 'command = ["npm", "ci"]\nexact = true\nnetwork = true\n'],
    ])('after %j for %s is labelled %s and spells it out', (asked, words, expected, lines) => {
      const facts = asks(asked, ...words.split(' '))
      const offered = alwaysRulesFor(facts, sandboxed)
      expect(offered).toMatchObject({ label: expected, text: `[[rule]]\ndecision = "allow"\n${lines}` })
      const { rules } = parsePolicyText(offered?.text ?? '', 'p', { mayWiden: true })
      expect(decide(facts, { ...sandboxed, rules }).verdict).toBe('allow')
    })

    it.each<[string, Facts, Partial<DecideSettings>]>([
      ['a program that no table has', asks(outside, 'make', 'deploy'), {}],
      ['a wrapper', asks(network, 'npx', 'tsc'), {}],
      ['one of several commands', { ...command([part(['git', 'add', '.']), part(['git', 'commit'])]), ...outside }, {}],
      ['what goes on in the background', asks({ ...network, background: true }, 'npm', 'ci'), {}],
      ['what destroys', asks({ ...outside, dangerous: 'it does' }, 'git', 'push'), {}],
      ['what leads to secrets', asks({ ...outside, touchesSecret: '/s' }, 'git', 'add', '/s'), {}],
      ['another folder than that of the conversation', asks({ ...outside, cwd: '/work/sub' }, 'git', 'commit'), {}],
      ['read-only mode', asks(outside, 'git', 'commit'), { sandboxMode: 'read-only' }],
      ['the network without a whole sandbox', asks(network, 'npm', 'ci'), { enforcement: 'partial' }],
    ])('is not offered for %s', (_what, facts, changed) => {
      expect(label(facts, { ...sandboxed, ...changed })).toBeNull()
    })
  })

  it('is not offered for a program that is not found, or lies in the workspace', () => {
    expect(label(command([part(['npm', 'test'], { programPath: null })]))).toBeNull()
    expect(label(command([part(['npm', 'test'], { programInsideRoots: true })]))).toBeNull()
  })

  it('is not offered for words with invisible or foreign characters', () => {
    for (const word of ['a\u202eb', 'a\nb', '\u0430', 'a\u00a0b', ' x', 'a\x7f'])
      expect(label(one('touch', word))).toBeNull()
  })

  it.each([
    ['npm', 'test', '--node-options=--import=data:text/javascript,run()'],
    ['npm', 'test', '--script-shell=./sh', '--'],
    ['npm', 'run', 'lint', '--prefix', '/elsewhere'],
    ['cargo', 'test', '--config', 'build.rustc-wrapper="./sh"', '--'],
    ['cargo', 'build', '--config', 'build.rustc-wrapper="./sh"'],
    ['go', 'build', '-toolexec=sh -c payload'],
    ['go', 'test', '-exec', 'sh'],
    ['dotnet', 'build', '-p:PreBuildEvent=payload'],
    ['mvn', 'test', 'exec:exec'],
    ['gradle', 'test', '-I', 'payload.gradle'],
  ])('of a test or build does not allow %s %s %s, which runs other programs', (...argv) => {
    const [program = '', subcommand = '', third = ''] = argv
    const plain = subcommand === 'run' ? [program, subcommand, third] : [program, subcommand]
    for (const given of [plain, [...plain, '--', 'x']]) {
      const rules = (alwaysRulesFor(one(...given), asking)?.targets ?? []).map(
        (target): Rule => ({ decision: 'allow', target, source: { file: 'p' } }),
      )
      expect(rules).toHaveLength(1)
      expect(decide(one(...argv), { ...asking, rules }).verdict).toBe('ask')
    }
  })

  it('is not offered for patches, reads and other tools', () => {
    for (const facts of [patch({ '/work/a': {} }), read('/s', { secret: true }), other(false)])
      expect(label(facts)).toBeNull()
  })

  it('is not offered when nothing is asked or when a rule asks', () => {
    expect(label(one('npm', 'test'), { ...asking, enforcement: 'full' })).toBeNull()
    expect(label(one('npm', 'test'), { ...asking, approvalPolicy: 'never' })).toBeNull()
    expect(label(one('npm', 'test'), { ...asking, rules: [commandRule('ask', 'npm')] })).toBeNull()
    expect(label(one('npm', 'test'), { ...asking, rules: [rule('ask', { kind: 'tool', tool: 'shell' })] })).toBeNull()
  })

  it('allows each command of several that is not harmless, with exactly its words', () => {
    const both = command([part(['cd', 'x'], { knownSafe: true }), part(['npm', 'test']), part(['touch', 'a'])])
    expect(label(both)).toBe('npm test && touch a')
    expect(label(command(['a', 'b', 'c', 'd'].map((name) => part([name]))))).toBeNull()
    expect(label(command([part(['npm', 'test']), part(['rm', 'a'])]))).toBeNull()
  })

  it('names the tool of an MCP server, and never a pattern', () => {
    expect(label(mcp('files', 'write_file'))).toBe('files/write_file')
    expect(label(mcp('files', '*'))).toBeNull()
    expect(label(mcp('*', 'write'))).toBeNull()
  })
})

const word = fc.oneof(
  fc.constantFrom('npm', 'test', 'run', 'touch', 'a', '-x', '"', '\\', "'", 'a b', '#', ']', '…'),
  fc.string({ unit: codePoint, maxLength: 6 }),
)

it('the written rule allows the approved command and none beyond its label', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), word, (argv, more) => {
      const facts = one(...argv)
      const offered = alwaysRulesFor(facts, asking)
      if (offered === null) return
      const { rules, problems } = parsePolicyText(offered.text, 'p')
      expect(problems).toEqual([])
      const decided = (given: readonly string[]) => decide(one(...given), { ...asking, rules }).verdict
      expect(decided(argv)).toBe('allow')
      expect(decided([...argv, more])).toBe(offered.label.endsWith(' …') ? 'allow' : 'ask')
      expect(decided(['x', ...argv])).toBe('ask')
    }),
    { numRuns: runsOf(1_000) },
  )
})
