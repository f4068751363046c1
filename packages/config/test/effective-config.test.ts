import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readEffectiveConfig, valuesByKey } from '../src/effective-config.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parley-config-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const file = (text: string) => writeFileSync(join(home, 'config.toml'), text)
const read = (more: Partial<Parameters<typeof readEffectiveConfig>[0]> = {}) => readEffectiveConfig({ home, ...more })

describe('the effective configuration', () => {
  it('is empty without a file', () => {
    expect(read()).toEqual({ values: {}, origins: new Map(), warnings: [], misplaced: [] })
  })

  it.each([
    ['the file is', 'config.toml'],
    ['its folder is', ''],
  ])('is refused where %s a link to what is not there', (_what, name) => {
    const link = join(home, 'link')
    symlinkSync(join(home, 'gone'), link)
    if (name !== '') symlinkSync(link, join(home, name))
    expect(() => read({ home: name === '' ? link : home })).toThrow(
      `$PARLEY_HOME/config.toml: cannot be read: ${name === '' ? `${link} is a link to ${home}/gone` : `${home}/config.toml is a link to ${link}`}, which is not there. Bring that back, or remove the link.`,
    )
  })

  it.each([
    ['http://login.example', false],
    ['http://localhost:80@login.example', false],
    ['http://127.0.0.1.login.example', false],
    ['http://127.0.0.1:8080', true],
    ['https://login.example', true],
  ])('takes an issuer whose answers stay secret on the way only: %s', (issuer, isTaken) => {
    file(`[model_providers.gate.oauth]\nissuer = "${issuer}"\n`)
    if (isTaken) expect(read().values.model_providers).toMatchObject({ gate: { oauth: { issuer } } })
    else expect(() => read()).toThrow('must be an https address')
  })

  it('lays profile over file, -c over profile and flags over all, each value with its origin', () => {
    file(
      'model = "file"\nsandbox_mode = "read-only"\napproval_policy = "never"\n[profiles.p]\nmodel = "profile"\nsandbox_mode = "workspace-write"\n',
    )
    const { values, origins } = read({
      profile: 'p',
      config: { model: 'dash-c', 'shell_environment.set.A': '1' },
      flags: { model: 'flag' },
    })
    expect(values).toMatchObject({
      model: 'flag',
      sandbox_mode: 'workspace-write',
      approval_policy: 'never',
      shell_environment: { set: { A: '1' } },
    })
    expect(Object.fromEntries(origins)).toMatchObject({
      model: 'command line',
      sandbox_mode: 'profile p',
      approval_policy: '$PARLEY_HOME/config.toml',
      'shell_environment.set.A': '-c',
    })
  })

  it('has a value for each key with an origin, also below a name with a dot', () => {
    file('model = "m"\n[mcp_servers."my.own"]\nargs = ["a"]\n')
    const { values, origins } = read()
    expect(valuesByKey(values)).toEqual([
      ['model', 'm'],
      ['mcp_servers.my.own.args', ['a']],
    ])
    expect([...origins.keys()]).toEqual(['model', 'mcp_servers.my.own.args'])
  })

  it('takes the profile that the file names', () => {
    file('profile = "p"\n[profiles.p]\nmodel = "profile"\n')
    expect(read().values.model).toBe('profile')
  })

  it.each([
    ['model = "m\n', /^\$PARLEY_HOME\/config\.toml:1:\d+: /],
    ['model = "m"\n\napproval_policy = "maybe"\n', /^\$PARLEY_HOME\/config\.toml:3: approval_policy: /],
    [
      'model = "m"\n[model_providers.x]\nwire_api = "smoke"\n',
      /^\$PARLEY_HOME\/config\.toml:3: model_providers\.x\.wire_api: /,
    ],
    ['[sandbox_workspace_write]\nwritable_roots = "x"\n', /^\$PARLEY_HOME\/config\.toml:2: /],
  ])('names the line of the fault in %j', (text, message) => {
    file(text)
    expect(() => read()).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringMatching(message) }),
    )
  })

  it('warns of an unknown key with its line and the key that was meant', () => {
    file('model = "m"\nsandbox_mod = "read-only"\n[model_providers.x]\nbase_urI = "u"\n\n[what]\nx = 1\n')
    expect(read().warnings).toEqual([
      '$PARLEY_HOME/config.toml:2: unknown key "sandbox_mod". Did you mean "sandbox_mode"?',
      '$PARLEY_HOME/config.toml:4: unknown key "model_providers.x.base_urI". Did you mean "base_url"?',
      '$PARLEY_HOME/config.toml:6: unknown key "what". It is ignored.',
    ])
  })

  it.each(['network.allowed_domains = []', 'sandbox_workspace_write.allowed_domains = []', 'network_access = true'])(
    'gives no network for %s, and warns of an unknown key',
    (line) => {
      file(`${line}\n`)
      const { values, warnings } = read()
      expect(warnings).toEqual([expect.stringContaining('unknown key')])
      expect(values.sandbox_workspace_write?.network_access).toBeUndefined()
    },
  )

  it('takes network and unix sockets as yes or no only', () => {
    file('[sandbox_workspace_write]\nnetwork_access = true\nallow_unix_sockets = false\n')
    expect(read().values.sandbox_workspace_write).toEqual({ network_access: true, allow_unix_sockets: false })
    file('[sandbox_workspace_write]\nnetwork_access = []\n')
    expect(() => read()).toThrow(/network_access/)
  })

  it('names the profile that was meant', () => {
    file('[profiles.careful]\nmodel = "m"\n')
    expect(() => read({ profile: 'carefull' })).toThrow(
      'profile: there is no profile "carefull". Did you mean "careful"?',
    )
    expect(() => read({ profile: 'zzz' })).toThrow('Profiles are: careful.')
  })

  it('takes a -c value as TOML, and as text where it is none', () => {
    const { values } = read({
      config: { model_context_window: '1000', model: 'gpt-x', 'sandbox_workspace_write.writable_roots': '["/a"]' },
    })
    expect(values).toEqual({
      model_context_window: 1000,
      model: 'gpt-x',
      sandbox_workspace_write: { writable_roots: ['/a'] },
    })
  })

  it('rejects a wrong -c value', () => {
    expect(() => read({ config: { sandbox_mode: 'none' } })).toThrow(/^-c: sandbox_mode: /)
  })

  it('adds a single key to an environment of another layer', () => {
    file('[environments.box]\nurl = "ws://127.0.0.1:7777"\ntoken_file = "a"\n')
    const { values, warnings } = read({ config: { 'environments.box.token_file': '/x', 'environments.box.urll': '3' } })
    expect(values.environments).toEqual({ box: { url: 'ws://127.0.0.1:7777', token_file: '/x' } })
    expect(warnings).toEqual(['-c: unknown key "environments.box.urll". Did you mean "url"?'])
  })

  it('names the missing key of an environment, and a key that was probably meant', () => {
    expect(() => read({ config: { 'environments.box.urll': 'ws://x' } })).toThrow(
      'environments.box.url: is not set; it must be ws://host:port or wss://host. A machine that connects itself has `connected`. -c: unknown key "environments.box.urll". Did you mean "url"?',
    )
    expect(() => read({ config: { 'environments.box.cwd': '/x' } })).toThrow(/^environments\.box\.url: is not set/)
  })

  it('does not change a prototype by a dotted key', () => {
    read({ config: { '__proto__.polluted': 'yes', 'constructor.prototype.polluted': 'yes' } })
    expect(({} as { polluted?: string }).polluted).toBeUndefined()
  })
})
