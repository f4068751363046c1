import { describe, expect, it } from 'vitest'
import { type RuleTarget, ruleRefOf, ruleTargetOf } from '../../../src/decision/rules/rules.ts'

const prefix = [['npm'], ['test', 'run']]
const source = { file: 'policy.toml', line: 1 }

describe('the name of a rule', () => {
  it.each<RuleTarget>([
    { kind: 'command', prefix },
    { kind: 'command', prefix, exact: true },
    { kind: 'command', prefix, grants: ['network'] },
    { kind: 'command', prefix, exact: true, grants: ['network', 'outsideSandbox'] },
    { kind: 'tool', tool: 'shell' },
    { kind: 'path', pattern: '/a b/**' },
    { kind: 'mcp', pattern: 'server/*' },
  ])('is read back as its target: %j', (target) => {
    expect(ruleTargetOf(ruleRefOf({ decision: 'allow', target, source }).name)).toEqual(target)
  })

  it('of a decision without a rule of a file is none', () => {
    expect(ruleTargetOf('builtin:session-grant')).toBeNull()
  })
})
