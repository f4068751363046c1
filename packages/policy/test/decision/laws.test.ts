import type { ApprovalPolicy, Enforcement, SandboxMode } from '@parley/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DecideSettings, decide, sandboxLimits } from '../../src/decision/decide.ts'
import { type Facts, storedFacts } from '../../src/decision/facts.ts'
import type { CommandFacts } from '../../src/decision/kinds/command/facts.ts'
import { grantFor } from '../../src/decision/match.ts'
import type { Rule, WiderRight } from '../../src/decision/rules/rules.ts'
import { command, mcp, part, rule, sampleOf } from './sample-facts.ts'

// Few words and paths, so that rules often fit.
const word = fc.constantFrom('ls', 'npm', 'test', 'rm', '-rf', './x')
const argv = fc.array(word, { minLength: 1, maxLength: 3 })

const commandFacts: fc.Arbitrary<CommandFacts> = fc
  .record({
    argvs: fc.array(argv, { minLength: 1, maxLength: 3 }),
    seen: fc.array(argv, { maxLength: 2 }),
    understood: fc.boolean(),
    safe: fc.boolean(),
    inside: fc.boolean(),
    dangerous: fc.constantFrom(null, 'rm'),
    touchesSecret: fc.constantFrom(null, '/s'),
    escalation: fc.constantFrom(null, { reason: 'r' }),
    network: fc.constantFrom(undefined, { reason: 'n' }),
    background: fc.boolean(),
    cwd: fc.constantFrom('/work', '/work/sub'),
  })
  .map(({ argvs, understood, safe, inside, network, ...others }) => {
    const rest = network === undefined ? others : { ...others, network }
    const parts = argvs.map((each) => part(each, { knownSafe: safe, programInsideRoots: inside }))
    const knownSafe = understood && safe && rest.touchesSecret === null
    return command(understood ? parts : [], { ...rest, argv: argvs[0] ?? [], understood, knownSafe })
  })

const facts: fc.Arbitrary<Facts> = fc.oneof(
  commandFacts,
  fc.constantFrom<Facts>(...Object.values(sampleOf), mcp('git', 'push'), mcp('git', 'resources/read', true)),
)

const grants = fc.constantFrom<readonly WiderRight[]>(['network'], ['outsideSandbox'], ['network', 'outsideSandbox'])
const target = fc.oneof(
  fc
    .tuple(argv, grants)
    .map(([words, given]) => ({ kind: 'command' as const, prefix: words.map((one) => [one]), grants: given })),
  fc
    .array(fc.array(word, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 })
    .map((prefix) => ({ kind: 'command' as const, prefix })),
  argv.map((words) => ({ kind: 'command' as const, prefix: words.map((one) => [one]), exact: true as const })),
  fc.constantFrom('shell', 'apply_patch', 'update_plan', 'read_file').map((tool) => ({ kind: 'tool' as const, tool })),
  fc.constantFrom('git/*', '*/push', 'git/pull').map((pattern) => ({ kind: 'mcp' as const, pattern })),
  fc.constantFrom('**', '/**', 'a', '.parley/**', '/etc/*').map((pattern) => ({ kind: 'path' as const, pattern })),
)
const ruleOf = (...decisions: readonly Rule['decision'][]) =>
  fc.tuple(fc.constantFrom(...decisions), target).map(([decision, what]) => rule(decision, what))

const settings = fc.record({
  rules: fc.array(ruleOf('allow', 'ask', 'deny'), { maxLength: 4 }),
  sessionGrants: fc
    .array(fc.tuple(facts, fc.constantFrom('sandboxed' as const, 'unsandboxed' as const)), { maxLength: 3 })
    .map((given) => given.map(([each, run]) => grantFor(each, run)).filter((grant) => grant !== null)),
  approvalPolicy: fc.constantFrom<ApprovalPolicy>('untrusted', 'on-failure', 'on-request', 'never'),
  sandboxMode: fc.constantFrom<SandboxMode>('read-only', 'workspace-write', 'danger-full-access'),
  enforcement: fc.constantFrom<Enforcement>('full', 'partial', 'none'),
  network: fc.boolean(),
})

function limitedMode(mode: SandboxMode): SandboxMode {
  return mode === 'danger-full-access' ? 'workspace-write' : mode
}

const freedom = { deny: 0, ask: 1, allow: 2 }
const runs = { numRuns: 2_000 }

describe('for any call and any settings', () => {
  it('another rule that denies or asks never allows more', () => {
    fc.assert(
      fc.property(facts, settings, ruleOf('deny', 'ask'), fc.nat(), (call, given, extra, place) => {
        const rules = given.rules.toSpliced(place % (given.rules.length + 1), 0, extra)
        expect(freedom[decide(call, { ...given, rules }).verdict]).toBeLessThanOrEqual(
          freedom[decide(call, given).verdict],
        )
      }),
      runs,
    )
  })

  it('no rule and no grant makes a denied call run or ask', () => {
    fc.assert(
      fc.property(facts, settings, ruleOf('allow', 'ask', 'deny'), (call, given, extra) => {
        const before = decide(call, { ...given, sessionGrants: [] })
        fc.pre(before.verdict === 'deny')
        expect(decide(call, { ...given, rules: [extra, ...given.rules] }).verdict).toBe('deny')
      }),
      runs,
    )
  })

  it('an allow rule only turns a question into an approval', () => {
    fc.assert(
      fc.property(facts, settings, ruleOf('allow'), (call, given, extra) => {
        const before = decide(call, given)
        const after = decide(call, { ...given, rules: [...given.rules, extra] })
        if (after.verdict !== before.verdict) expect([before.verdict, after.verdict]).toEqual(['ask', 'allow'])
      }),
      runs,
    )
  })

  it('the order of the rules does not matter', () => {
    const shuffled = settings.chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray([...given.rules], { minLength: given.rules.length })),
    )
    fc.assert(
      fc.property(facts, shuffled, (call, [given, rules]) => {
        const { verdict, run, code } = decide(call, given)
        expect(decide(call, { ...given, rules })).toMatchObject(
          code === undefined ? { verdict, run } : { verdict, run, code },
        )
      }),
      runs,
    )
  })

  it('rules do not change the use of the sandbox', () => {
    fc.assert(
      fc.property(facts, settings, (call, given) => {
        expect(decide(call, given).run).toBe(decide(call, { ...given, rules: [] }).run)
      }),
      runs,
    )
  })

  it('only a rule that spells the right out lets a command leave the sandbox or use the network, and only this one', () => {
    let unasked = 0
    const written = fc.record({ words: fc.integer({ min: 1, max: 3 }), rights: grants, exact: fc.boolean() })
    fc.assert(
      fc.property(commandFacts, settings, written, (call, given, { words, rights, exact }) => {
        const prefix = call.argv.slice(0, words).map((one) => [one])
        const target = { kind: 'command' as const, prefix, grants: rights, ...(exact ? { exact: true as const } : {}) }
        const rules = [...given.rules, rule('allow', target)]
        const sandboxed = { enforcement: 'full' as const, network: false, rules }
        const limited: DecideSettings = { ...given, ...sandboxed, sandboxMode: limitedMode(given.sandboxMode) }
        const { verdict, run } = decide(call, limited)
        const limits = sandboxLimits(call, run, limited)
        if (verdict !== 'allow' || (limits.sandbox !== 'none' && !limits.network)) return
        unasked += 1
        const right = limits.sandbox === 'none' ? 'outsideSandbox' : 'network'
        const [only, ...others] = call.parts
        expect([others, call.background, call.dangerous, call.touchesSecret]).toEqual([[], false, null, null])
        expect([limited.sandboxMode, only?.programInsideRoots]).toEqual(['workspace-write', false])
        if (right === 'outsideSandbox') expect(call.cwd).toBe(call.workspace)
        const givesIt = ({ decision, target: what }: Rule) =>
          decision === 'allow' &&
          what.kind === 'command' &&
          what.grants?.includes(right) === true &&
          (what.exact !== true || what.prefix.length === only?.argv.length) &&
          what.prefix.every((choices, index) => choices.includes(only?.argv[index] ?? ''))
        expect(rules.some(givesIt)).toBe(true)
      }),
      { numRuns: 5_000 },
    )
    expect(unasked).toBeGreaterThan(0)
  })

  it('an exact rule fits no more than the prefix of the same words', () => {
    fc.assert(
      fc.property(facts, settings, argv, fc.constantFrom('allow', 'ask', 'deny'), (call, given, words, decision) => {
        const prefix = words.map((one) => [one])
        const exactly = rule(decision, { kind: 'command', prefix, exact: true })
        const loosely = rule(decision, { kind: 'command', prefix })
        const before = decide(call, given).verdict
        if (decide(call, { ...given, rules: [...given.rules, loosely] }).verdict !== before) return
        expect(decide(call, { ...given, rules: [...given.rules, exactly] }).verdict).toBe(before)
      }),
      runs,
    )
  })

  it('facts that were stored in the log lead to the same decision', () => {
    fc.assert(
      fc.property(facts, settings, (call, given) => {
        const stored = storedFacts(JSON.parse(JSON.stringify(call)))
        if (stored === null) throw new Error('the facts cannot be read back')
        expect(decide(stored, given)).toEqual(decide(call, given))
      }),
      runs,
    )
  })

  it('the policy never does not ask', () => {
    fc.assert(
      fc.property(facts, settings, (call, given) => {
        expect(decide(call, { ...given, approvalPolicy: 'never' }).verdict).not.toBe('ask')
      }),
      runs,
    )
  })

  it('in a limited mode without a sandbox, a command that runs unasked is harmless, granted or covered by a rule', () => {
    fc.assert(
      fc.property(commandFacts, settings, (call, given) => {
        const decision = decide(call, { ...given, sandboxMode: 'workspace-write', enforcement: 'none' })
        if (decision.verdict !== 'allow') return
        expect(decision.rule.name).toMatch(/^(?:builtin:known-safe|builtin:session-grant|rule:.*)$/)
        if (decision.rule.name === 'builtin:known-safe') expect(call.knownSafe && call.understood).toBe(true)
      }),
      runs,
    )
  })
})
