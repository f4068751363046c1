import type { SandboxMode } from '@parley/protocol'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DecideSettings, decide, sandboxLimits } from '../../src/decision/decide.ts'
import { storedFacts } from '../../src/decision/facts.ts'
import { narrowed } from '../../src/decision/narrow.ts'
import type { Rule } from '../../src/decision/rules/rules.ts'
import { narrowingBySkills } from '../../src/decision/skill-tools.ts'
import { argv, commandFacts, facts, grants, plainCommandFacts, ruleOf, settings } from './any-call.ts'
import { rule } from './sample-facts.ts'

function limitedMode(mode: SandboxMode): SandboxMode {
  return mode === 'danger-full-access' ? 'workspace-write' : mode
}

const freedom = { deny: 0, ask: 1, allow: 2 }
const runs = { numRuns: runsOf(2_000) }

const tools = fc.array(
  fc.constantFrom(
    'Bash',
    'Bash(npm:*)',
    'Bash(ls)',
    'Edit',
    'Write(a/**)',
    'mcp__git',
    'mcp__git__push',
    'Read',
    '(',
    '',
  ),
  { maxLength: 3 },
)
const skills = fc.array(
  tools.map((allowedTools) => ({ name: 'one', allowedTools })),
  { maxLength: 2 },
)

const demand = fc.option(
  fc.record({ verdict: fc.constantFrom('ask' as const, 'deny' as const), reason: fc.constant('r') }),
)

describe('for any call and any settings', () => {
  it('skills that name tools never allow more', () => {
    fc.assert(
      fc.property(facts, settings, skills, (call, given, inForce) => {
        const usual = decide(call, given)
        const after = narrowed(usual, narrowingBySkills(call, inForce), given.approvalPolicy)
        expect(freedom[after.verdict]).toBeLessThanOrEqual(freedom[usual.verdict])
        expect(after.run).toBe(usual.run)
      }),
      runs,
    )
  })

  it('what a hook or a skill demands never allows more, and never widens the run', () => {
    fc.assert(
      fc.property(facts, settings, demand, (call, given, demanded) => {
        const decision = decide(call, given)
        const asked = demanded === null ? null : { ...demanded, rule: { name: 'hook:h' } }
        const after = narrowed(decision, asked, given.approvalPolicy)
        expect(freedom[after.verdict]).toBeLessThanOrEqual(freedom[decision.verdict])
        expect(after.run).toBe(decision.run)
        if (asked !== null) expect(after.verdict).not.toBe('allow')
        if (given.approvalPolicy === 'never' && decision.verdict !== 'ask') expect(after.verdict).not.toBe('ask')
      }),
      runs,
    )
  })

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
        expect(before.verdict === 'ask' ? ['ask', 'allow'] : [before.verdict]).toContain(after.verdict)
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
    const commands = fc.oneof(commandFacts, plainCommandFacts)
    const written = fc.record({ words: fc.integer({ min: 1, max: 3 }), rights: grants, exact: fc.boolean() })
    fc.assert(
      fc.property(commands, settings, written, (call, given, { words, rights, exact }) => {
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
      { numRuns: runsOf(5_000) },
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
