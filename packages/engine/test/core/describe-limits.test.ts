import type { Settings } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { describeLimits } from '../../src/core/instructions.ts'

const settings: Settings = {
  model: 'm',
  modelProvider: 'p',
  approvalPolicy: 'on-request',
  sandbox: 'workspace-write',
  enforcement: 'full',
  writableRoots: [],
}
const told = (changed: Partial<Settings> = {}) => describeLimits({ ...settings, ...changed }).join('\n')

describe('what the model is told of its limits', () => {
  it('is what commands may do, and how to ask for more', () => {
    expect(told({ writableRoots: ['/a', '/b'] })).toMatchInlineSnapshot(`
      "Sandbox: workspace-write; approval policy: on-request
      Also writable: /a, /b
      Commands may write in the working directory and in $TMPDIR, which only commands see (read_file does not) and which lasts as long as the conversation is open.
      In the working directory .git, .parley, .vscode, .idea, .husky, .envrc and .mcp.json are read-only: what changes the repository (git add, commit, checkout, stash, …) needs escalate: true with a reason, from the first try on.
      Commands have no network. On localhost they reach servers that commands with the same limits have started in the background, unless the start of one says otherwise.
      To ask for more, call shell with a reason and network: true (the network, for that command) or escalate: true (outside the sandbox). If it is clear beforehand that a command needs that, ask at once."
    `)
  })

  it('offers no network where all have it, and nothing where nobody may be asked', () => {
    expect(told({ network: true })).toMatch(/Commands have the network\..*reason and escalate/s)
    expect(told({ network: true, sandbox: 'read-only' })).toContain('no network')
    expect(told({ approvalPolicy: 'never' })).toContain('More cannot be asked for.')
    expect(told({ approvalPolicy: 'on-failure' })).toContain('is put to the user')
  })

  it('asks for a plan in plan mode and in no other', () => {
    const policies = ['untrusted', 'on-failure', 'on-request', 'never'] as const
    const sandboxes = ['read-only', 'workspace-write', 'danger-full-access'] as const
    const pairs = policies.flatMap((approvalPolicy) => sandboxes.map((sandbox) => ({ approvalPolicy, sandbox })))
    const planned = pairs.filter((pair) => /^Mode: plan/m.test(told(pair)))
    expect(planned).toEqual([{ approvalPolicy: 'on-request', sandbox: 'read-only' }])
    expect(told({ sandbox: 'read-only', enforcement: 'none' })).toContain('make a plan')
  })

  it.each([
    ['untrusted', /git add, commit.*needs escalate: true with a reason/],
    ['on-request', /git add, commit.*needs escalate: true with a reason/],
    ['on-failure', /git add, commit.*fails at first, and the user is asked/],
    ['never', /git add, commit.*leave it to the user/],
  ] as const)('says under %s how a commit is made, before it fails', (approvalPolicy, text) => {
    expect(told({ approvalPolicy })).toMatch(text)
    expect(told({ approvalPolicy, sandbox: 'read-only' })).not.toContain('commit')
  })

  it('promises no more of a partial sandbox than it lets through', () => {
    expect(told({ enforcement: 'partial' })).toMatch(
      /cannot make.*directly in the working directory.*not even between each other/s,
    )
    expect(told({ enforcement: 'partial', sandbox: 'read-only' })).not.toContain('directly in the working directory')
  })

  it('offers no question where nobody may be asked', () => {
    for (const enforcement of ['partial', 'none'] as const) {
      expect(told({ enforcement, approvalPolicy: 'never' })).toContain('is denied')
      expect(told({ enforcement, approvalPolicy: 'never' })).not.toContain('asked first')
    }
  })

  it.each([
    ['partial', /enforced in part/],
    ['none', /nothing enforces it here/],
  ] as const)('says in enforcement %s what holds', (enforcement, text) => {
    expect(told({ enforcement })).toMatch(text)
  })

  it('says that full access was chosen', () => {
    expect(told({ sandbox: 'danger-full-access' })).toMatch(/off \(the user chose full access\)/)
  })

  it('promises nothing of a sandbox where there is none', () => {
    expect(told({ enforcement: 'none' })).not.toContain('Commands may')
    expect(told({ sandbox: 'danger-full-access' })).not.toContain('Commands may')
  })
})
