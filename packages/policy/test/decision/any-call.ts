import type { ApprovalPolicy, Enforcement, SandboxMode } from '@parley/protocol'
import fc from 'fast-check'
import type { Facts } from '../../src/decision/facts.ts'
import type { CommandFacts } from '../../src/decision/kinds/command/facts.ts'
import type { Rule, WiderRight } from '../../src/decision/rules/rules.ts'
import { command, grantsOf, mcp, part, rule, sampleOf } from './sample-facts.ts'

// Few words and paths, so that rules often fit.
const word = fc.constantFrom('ls', 'npm', 'test', 'rm', '-rf', './x')
export const argv = fc.array(word, { minLength: 1, maxLength: 3 })

const fields = {
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
}

function commandOf(of: typeof fields): fc.Arbitrary<CommandFacts> {
  return fc.record(of).map(({ argvs, understood, safe, inside, network, ...others }) => {
    const rest = network === undefined ? others : { ...others, network }
    const parts = argvs.map((each) => part(each, { knownSafe: safe, programInsideRoots: inside }))
    const knownSafe = understood && safe && rest.touchesSecret === null
    return command(understood ? parts : [], { ...rest, argv: argvs[0] ?? [], understood, knownSafe })
  })
}

export const commandFacts = commandOf(fields)

/** Commands that a rule may give more rights to, which are rare among all. */
export const plainCommandFacts = commandOf({
  ...fields,
  argvs: fc.array(argv, { minLength: 1, maxLength: 1 }),
  understood: fc.constant(true),
  inside: fc.constant(false),
  dangerous: fc.constant(null),
  touchesSecret: fc.constant(null),
  background: fc.constant(false),
})

export const facts: fc.Arbitrary<Facts> = fc.oneof(
  commandFacts,
  fc.constantFrom<Facts>(...Object.values(sampleOf), mcp('git', 'push'), mcp('git', 'resources/read', true)),
)

export const grants = fc.constantFrom<readonly WiderRight[]>(
  ['network'],
  ['outsideSandbox'],
  ['network', 'outsideSandbox'],
)
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
export const ruleOf = (...decisions: readonly Rule['decision'][]) =>
  fc.tuple(fc.constantFrom(...decisions), target).map(([decision, what]) => rule(decision, what))

export const settings = fc.record({
  rules: fc.array(ruleOf('allow', 'ask', 'deny'), { maxLength: 4 }),
  sessionGrants: fc
    .array(fc.tuple(facts, fc.constantFrom('sandboxed' as const, 'unsandboxed' as const)), { maxLength: 3 })
    .map((given) => given.flatMap(([each, run]) => grantsOf(each, run))),
  approvalPolicy: fc.constantFrom<ApprovalPolicy>('untrusted', 'on-failure', 'on-request', 'never'),
  sandboxMode: fc.constantFrom<SandboxMode>('read-only', 'workspace-write', 'danger-full-access'),
  enforcement: fc.constantFrom<Enforcement>('full', 'partial', 'none'),
  network: fc.boolean(),
})
