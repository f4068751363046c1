import type { Settings } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { describeLimits } from '../../src/core/describe-limits.ts'

const settings: Settings = {
  model: 'm',
  modelProvider: 'p',
  approvalPolicy: 'on-request',
  sandbox: 'workspace-write',
  tier: 'A',
  writableRoots: [],
}
const told = (changed: Partial<Settings> = {}) => describeLimits({ ...settings, ...changed }).join('\n')

describe('what the model is told of its limits', () => {
  it('is what commands may do, and how to ask for more', () => {
    expect(told({ writableRoots: ['/a', '/b'] })).toMatchInlineSnapshot(`
      "Sandbox: workspace-write; approval policy: on-request
      Also writable: /a, /b
      Commands may write in the working directory and in /tmp, which is theirs alone and lasts as long as the conversation is open. In it .git, .parley, .vscode, .idea, .husky, .envrc and .mcp.json are read-only: git commit needs escalate.
      Commands have no network, and a loopback of their own: what a command in the background serves no other command reaches, so start a server and what uses it in one command.
      To ask for more, call shell with a reason and network: true (the network, for that command) or escalate: true (outside the sandbox)."
    `)
  })

  it('offers no network where all have it, and nothing where nobody may be asked', () => {
    expect(told({ network: true })).toMatch(/Commands have the network\..*reason and escalate/s)
    expect(told({ network: true, sandbox: 'read-only' })).toContain('no network')
    expect(told({ approvalPolicy: 'never' })).toContain('More cannot be asked for.')
    expect(told({ approvalPolicy: 'on-failure' })).toContain('is put to the user')
  })

  it.each([
    ['B', /enforced in part/],
    ['C', /nothing enforces it here/],
    ['D', /off \(the user chose full access\)/],
  ] as const)('says in tier %s what holds', (tier, text) => {
    expect(told({ tier })).toMatch(text)
  })

  it('promises nothing of a sandbox where there is none', () => {
    for (const tier of ['C', 'D'] as const) expect(told({ tier })).not.toContain('Commands may')
  })
})
