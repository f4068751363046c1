import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readEffectiveConfig, readProfile } from '../src/effective-config.ts'
import { projectLayer } from '../src/project-layer.ts'
import { startSafely } from '../src/safe-start.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parley-safe-'))
  startSafely(home)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const file = (text: string) => writeFileSync(join(home, 'config.toml'), text)
const read = (more: Partial<Parameters<typeof readEffectiveConfig>[0]> = {}) => readEffectiveConfig({ home, ...more })

const usual = `
model = "m"
model_provider = "gate"
sandbox_mode = "danger-full-access"
approval_policy = "never"
notify = ["/usr/bin/notify"]
environment = "box"
[environments.box]
url = "ws://box:1"
[model_providers.gate]
base_url = "https://gate.example/v1"
[model_providers.packed]
package = "@ai-sdk/mistral"
[network]
ca_file = "/etc/ca.pem"
[limits]
max_cost = 2
[secrets]
paths = ["~/vault"]
[shell_environment]
exclude = ["ACME_*"]
set = { PATH = "/x" }
[mcp_servers.files]
command = "files"
`

describe('a configuration read with --safe', () => {
  it('has what reaches a model and what limits, and says what is left out', () => {
    file(usual)
    const { values, warnings } = read()
    expect(values).toEqual({
      model: 'm',
      model_provider: 'gate',
      model_providers: { gate: { base_url: 'https://gate.example/v1' } },
      network: { ca_file: '/etc/ca.pem' },
      limits: { max_cost: 2 },
      secrets: { paths: ['~/vault'] },
      shell_environment: { exclude: ['ACME_*'] },
    })
    expect(warnings).toEqual([
      '--safe leaves out of $PARLEY_HOME/config.toml: approval_policy, sandbox_mode, environment, environments, notify, mcp_servers, model_providers.packed.',
    ])
  })

  it('keeps a sandbox and a policy that are stricter than the usual ones', () => {
    file('sandbox_mode = "read-only"\napproval_policy = "untrusted"\n')
    expect(read()).toMatchObject({ values: { sandbox_mode: 'read-only', approval_policy: 'untrusted' }, warnings: [] })
  })

  it('keeps what makes a trusted project stricter, and none of its servers', () => {
    const text = 'sandbox_mode = "read-only"\n[mcp_servers.own]\ncommand = "own"\n'
    const { values, warnings } = read({ project: (own) => projectLayer(text, own) })
    expect(values).toEqual({ sandbox_mode: 'read-only' })
    expect(warnings).toEqual(['--safe leaves out of .parley/config.toml: mcp_servers.'])
  })

  it('leaves out the model of a provider that is a package', () => {
    file('model = "m"\nmodel_provider = "packed"\n[model_providers.packed]\npackage = "@ai-sdk/mistral"\n')
    expect(read().values).toEqual({ model_providers: {} })
  })

  it.each([['model = '], ['model = 3'], ['mcp_servers = "none"']])(
    'is the strictest where the file has a mistake: %s',
    (text) => {
      file(text)
      const { values, warnings } = read()
      expect(values).toEqual({ sandbox_mode: 'read-only', approval_policy: 'untrusted' })
      expect(warnings).toEqual([
        expect.stringMatching(/^\$PARLEY_HOME\/config\.toml.*--safe starts without it, read-only and asking before/),
      ])
    },
  )

  it('takes flags, and those values of -c that choose a model or a limit', () => {
    file(usual)
    const config = { model: 'other', 'limits.max_turns': '3' }
    expect(read({ config, flags: { sandbox_mode: 'read-only' } }).values).toMatchObject({
      model: 'other',
      sandbox_mode: 'read-only',
      limits: { max_turns: 3, max_cost: 2 },
    })
  })

  it.each([
    [{ 'mcp_servers.x.command': 'x' }, '-c: "mcp_servers" is not for --safe'],
    [{ notify: '["x"]' }, '-c: "notify" is not for --safe'],
    [{ 'model_providers.x.package': 'x' }, '-c: "model_providers.x.package" is not for --safe'],
    [{ profile: 'x' }, 'profile: a profile is configuration'],
  ])('rejects -c %j', (config, words) => {
    expect(() => read({ config })).toThrow(words)
  })

  it('rejects a profile', () => {
    file('[profiles.x]\nmodel = "m"\n')
    expect(() => read({ profile: 'x' })).toThrow('profile: a profile is configuration')
    expect(() => readProfile(home, 'x')).toThrow('profile: a profile is configuration')
  })

  it('is whole for those who guard its programs and places of secrets', () => {
    file(usual)
    expect(read({ isWhole: true }).values).toMatchObject({ notify: ['/usr/bin/notify'], environment: 'box' })
  })
})
