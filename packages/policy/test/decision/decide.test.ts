import { describe, expect, it } from 'vitest'
import { type DecideSettings, decide, explainDecision } from '../../src/decision/decide.ts'
import type { Facts } from '../../src/decision/facts.ts'
import { command, commandRule, grantsOf, mcp, other, part, patch, read, rule, sampleOf } from './sample-facts.ts'

const unenforced: DecideSettings = {
  rules: [],
  sessionGrants: [],
  approvalPolicy: 'on-request',
  sandboxMode: 'workspace-write',
  enforcement: 'none',
}
const npmTest = sampleOf.otherCommand
const allowNpm = commandRule('allow', 'npm', 'test|run')

describe('a rule', () => {
  it('that allows answers the question and is named with file and line', () => {
    const decision = decide(npmTest, { ...unenforced, rules: [allowNpm] })
    expect(decision).toMatchObject({
      verdict: 'allow',
      rule: { name: 'rule:command npm test|run', file: '/home/policy.toml', line: 3 },
    })
    expect(explainDecision(decision)).toBe(
      'Runs unasked: a rule says allow [rule:command npm test|run, /home/policy.toml:3].',
    )
  })

  it.each([
    ['asks', commandRule('ask', 'npm'), 'ask'],
    ['denies', commandRule('deny', 'npm'), 'deny'],
  ])('that %s is stricter than one that allows', (_, strict, verdict) => {
    expect(decide(npmTest, { ...unenforced, rules: [allowNpm, strict] }).verdict).toBe(verdict)
  })

  it('that denies beats full access and a grant', () => {
    const denied = decide(npmTest, {
      ...unenforced,
      sandboxMode: 'danger-full-access',
      approvalPolicy: 'never',
      rules: [commandRule('deny', 'npm')],
      sessionGrants: grantsOf(npmTest, 'unsandboxed'),
    })
    expect(denied).toMatchObject({ verdict: 'deny', code: 'deniedByRule' })
  })

  it('about paths fits the paths that a known-safe command reads', () => {
    const cat = (real: string) =>
      command([part(['cat', 'x'], { knownSafe: true })], { reads: [{ path: 'x', real, recursive: false }] })
    const rules = [rule('deny', { kind: 'path', pattern: 'deploy/**' })]
    expect(decide(cat('/work/deploy/f'), { ...unenforced, rules })).toMatchObject({
      verdict: 'deny',
      code: 'deniedByRule',
    })
    expect(decide({ ...cat('/work/deploy/f'), cwd: '/work/deploy' }, { ...unenforced, rules }).verdict).toBe('deny')
    expect(decide(cat('/work/src/f'), { ...unenforced, rules }).verdict).toBe('allow')
  })

  it.each(['ask', 'deny'] as const)(
    'that says %s for paths makes a recursive read of a folder above them ask',
    (verdict) => {
      const rules = [rule(verdict, { kind: 'path', pattern: 'deploy/**' })]
      const decided = (path: string, recursive: boolean, approvalPolicy = unenforced.approvalPolicy) =>
        decide(read(path, { recursive }), { ...unenforced, approvalPolicy, rules })
      expect(decided('/work', true)).toMatchObject({
        verdict: 'ask',
        rule: { name: 'rule:path deploy/**' },
        reason: expect.stringContaining(verdict),
      })
      expect(decided('/work', true, 'never').verdict).toBe('deny')
      expect(decided('/work', false).verdict).toBe('allow')
      expect(decided('/work/src', true).verdict).toBe('allow')
    },
  )

  it('about MCP tools decides by server and tool, and the strictest one wins', () => {
    const rules = [
      rule('allow', { kind: 'mcp', pattern: 'git/*' }),
      rule('deny', { kind: 'mcp', pattern: '*/push*' }),
      rule('ask', { kind: 'mcp', pattern: 'git/resources/read' }),
    ]
    const decided = (server: string, name: string, readOnly = false) =>
      decide(mcp(server, name, readOnly), { ...unenforced, rules }).verdict
    expect(decided('git', 'log')).toBe('allow')
    expect(decided('git', 'push_tags')).toBe('deny')
    expect(decided('hub', 'log')).toBe('ask')
    expect(decided('git', 'resources/read', true)).toBe('ask')
    expect(decided('hub', 'resources/read', true)).toBe('allow')
  })

  it('about MCP tools does not fit built-in tools', () => {
    const rules = [rule('deny', { kind: 'mcp', pattern: '*/*' })]
    expect(decide(sampleOf.knownSafe, { ...unenforced, rules }).verdict).toBe('allow')
    expect(decide(sampleOf.readInside, { ...unenforced, rules }).verdict).toBe('allow')
  })

  it('that asks makes even a harmless command ask, and denies it under never', () => {
    const rules = [commandRule('ask', 'ls')]
    expect(decide(sampleOf.knownSafe, { ...unenforced, rules }).verdict).toBe('ask')
    expect(decide(sampleOf.knownSafe, { ...unenforced, rules, approvalPolicy: 'never' })).toMatchObject({
      verdict: 'deny',
      code: 'policyNever',
    })
  })

  it('does not allow a command that never denies without a sandbox', () => {
    const decision = decide(npmTest, { ...unenforced, approvalPolicy: 'never', rules: [allowNpm] })
    expect(decision).toMatchObject({ verdict: 'deny', code: 'noSandbox' })
    expect(decision.reason).toMatch(/on-request.*danger-full-access/s)
  })

  it.each(['dangerous', 'escalation', 'patchOutside', 'patchProtected', 'readSecret'] as const)(
    'that allows does not answer for %s',
    (column) => {
      const rules = [
        commandRule('allow', 'rm'),
        commandRule('allow', 'ls'),
        rule('allow', { kind: 'path', pattern: '/**' }),
        rule('allow', { kind: 'tool', tool: sampleOf[column].tool }),
      ]
      expect(decide(sampleOf[column], { ...unenforced, rules }).verdict).toBe('ask')
    },
  )

  it('about a tool fits every kind of call', () => {
    for (const facts of Object.values(sampleOf)) {
      const rules = [rule('deny', { kind: 'tool', tool: facts.tool }, 'not here')]
      expect(decide(facts, { ...unenforced, rules })).toMatchObject({ verdict: 'deny', reason: 'not here' })
    }
    const allowed = decide(other(false), {
      ...unenforced,
      rules: [rule('allow', { kind: 'tool', tool: 'update_plan' })],
    })
    expect(allowed.verdict).toBe('allow')
  })
})

describe('a compound command', () => {
  const ls = part(['ls'], { knownSafe: true })
  const npm = part(['npm', 'test'])
  const touch = part(['touch', 'x'])

  it('is allowed when each part is harmless or covered by a rule', () => {
    expect(decide(command([npm, ls]), { ...unenforced, rules: [allowNpm] }).verdict).toBe('allow')
    expect(decide(command([npm, touch]), { ...unenforced, rules: [allowNpm] }).verdict).toBe('ask')
    const both = [allowNpm, commandRule('allow', 'touch')]
    expect(decide(command([npm, touch]), { ...unenforced, rules: both }).verdict).toBe('allow')
  })

  it('is denied when one part is', () => {
    const rules = [allowNpm, commandRule('deny', 'touch')]
    expect(decide(command([npm, touch]), { ...unenforced, rules }).verdict).toBe('deny')
  })

  it('that is not understood is never allowed by a command rule, and denied by the commands seen in it', () => {
    const facts = command([], {
      understood: false,
      argv: ['bash', '-c', '…'],
      seen: [
        ['npm', 'test'],
        ['/bin/curl', null],
      ],
    })
    expect(decide(facts, { ...unenforced, rules: [allowNpm, commandRule('allow', 'bash')] }).verdict).toBe('ask')
    expect(decide(facts, { ...unenforced, rules: [commandRule('deny', 'curl')] }).verdict).toBe('deny')
  })

  it('whose program is a file of the workspace does not fit an allow rule with a bare name', () => {
    const shadow = part(['npm', 'test'], { programInsideRoots: true })
    expect(decide(command([shadow]), { ...unenforced, rules: [allowNpm] }).verdict).toBe('ask')
    const byPath = part(['./gradlew', 'test'], { programInsideRoots: true })
    expect(decide(command([byPath]), { ...unenforced, rules: [commandRule('allow', './gradlew')] }).verdict).toBe(
      'allow',
    )
  })

  it('that touches a secret is asked although a rule allows its program', () => {
    const facts = command([npm], { touchesSecret: '/home/.ssh' })
    const decision = decide(facts, { ...unenforced, rules: [allowNpm] })
    expect(decision).toMatchObject({ verdict: 'ask', rule: { name: 'builtin:no-sandbox' } })
    expect(decision.reason).toContain('/home/.ssh is where secrets are kept')
  })
})

describe('a path rule', () => {
  const settings = (decision: 'allow' | 'ask' | 'deny', pattern: string) => ({
    ...unenforced,
    rules: [rule(decision, { kind: 'path', pattern })],
  })

  it('allows a patch when all its files fit, and asks or denies when one does', () => {
    const facts = patch({ '/work/src/a': {}, '/work/docs/b': {} })
    expect(decide(facts, settings('allow', 'src/**')).verdict).toBe('ask')
    expect(decide(facts, settings('allow', '**')).verdict).toBe('allow')
    expect(decide(facts, settings('deny', 'docs/**')).verdict).toBe('deny')
  })

  it('denies a file by its real path and by the path as written', () => {
    const facts = { ...read('/work/real/.env'), paths: [{ ...read('/work/real/.env').paths[0], path: 'link/x' }] }
    const both = facts as ReturnType<typeof read>
    expect(decide(both, settings('deny', 'real/.env')).verdict).toBe('deny')
    expect(decide(both, settings('deny', 'a/../link/x')).verdict).toBe('allow')
    expect(decide(both, settings('deny', 'link/*')).verdict).toBe('deny')
  })
})

describe('a session grant', () => {
  const granted = (facts: Facts, run: 'sandboxed' | 'unsandboxed' = 'unsandboxed') => ({
    ...unenforced,
    sessionGrants: grantsOf(facts, run),
  })

  it('covers the same command and nothing else', () => {
    expect(decide(npmTest, granted(npmTest))).toMatchObject({
      verdict: 'allow',
      rule: { name: 'builtin:session-grant' },
    })
    const changes = [
      { argv: ['npm', 'test', '--', 'x'] },
      { cwd: '/work/sub' },
      { escalation: { reason: 'x' } },
      { parts: [part(['npm', 'test'], { programPath: '/work/npm' })] },
    ]
    for (const changed of changes) {
      expect(decide({ ...npmTest, ...changed }, granted(npmTest)).verdict).toBe('ask')
    }
  })

  it('given for a sandboxed run does not cover one without a sandbox', () => {
    expect(decide(npmTest, granted(npmTest, 'sandboxed')).verdict).toBe('ask')
  })

  it('answers a question that a rule asks', () => {
    const settings = { ...granted(npmTest), rules: [commandRule('ask', 'npm')] }
    expect(decide(npmTest, settings).verdict).toBe('allow')
  })

  it('for a read covers no other tool', () => {
    const secret = read('/home', { secret: true, recursive: true })
    expect(decide(secret, granted(secret)).verdict).toBe('allow')
    expect(decide({ ...secret, tool: 'search' }, granted(secret)).verdict).toBe('ask')
  })

  it('for a patch covers later patches to the same files or some of them', () => {
    const two = patch({ '/work/a': {}, '/work/b': {} })
    expect(decide(patch({ '/work/b': {} }), granted(two)).verdict).toBe('allow')
    expect(decide(patch({ '/work/b': {}, '/work/c': {} }), granted(two)).verdict).toBe('ask')
  })

  it('is not offered for dangerous commands and protected files', () => {
    expect(grantsOf(sampleOf.dangerous, 'sandboxed')).toEqual([])
    expect(grantsOf(sampleOf.patchProtected, 'sandboxed')).toEqual([])
  })
})

describe('an explanation', () => {
  it.each([
    ['dangerous', 'Asks first: it destroys things for good (rm deletes without asking) [builtin:dangerous].'],
    [
      'patchProtected',
      'Asks first: it changes a protected file (/work/.parley/config.toml: changes parley settings) [builtin:patch-protected].',
    ],
    ['readInside', 'Runs unasked: it only reads, inside the working folders [builtin:read-inside-roots].'],
    ['escalation', 'Asks first: it asks to run outside the sandbox [builtin:escalation].'],
  ] as const)('of %s is one sentence with the rule', (column, sentence) => {
    expect(explainDecision(decide(sampleOf[column], unenforced))).toBe(sentence)
  })
})
