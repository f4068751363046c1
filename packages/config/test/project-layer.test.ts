import { configKeys } from '@parley/protocol/config-keys'
import { describe, expect, it } from 'vitest'
import { type Config, configSchema } from '../src/config-schema.ts'
import { projectKeys, projectLayer } from '../src/project-layer.ts'
import { parseToml } from '../src/toml.ts'

const read = (text: string, own: Config = {}) => projectLayer(text, own)

describe('the settings of a project', () => {
  it('may be the model, its effort, and tool servers', () => {
    const { values, warnings, origin } = read(
      'model = "m"\nmodel_reasoning_effort = "high"\n[mcp_servers.tools]\ncommand = "node"\nargs = ["mcp.js"]\nenv = { A = "1" }\ncwd = "tools"\nenabled_tools = ["a"]\n[mcp_servers.far]\nurl = "https://tools.example/mcp"\n',
    )
    expect(values).toEqual({
      model: 'm',
      model_reasoning_effort: 'high',
      mcp_servers: {
        tools: { command: 'node', args: ['mcp.js'], env: { A: '1' }, cwd: 'tools', enabled_tools: ['a'] },
        far: { url: 'https://tools.example/mcp' },
      },
    })
    expect({ warnings, origin }).toEqual({ warnings: [], origin: '.parley/config.toml' })
  })

  it.each([
    ['model_provider = "theirs"', 'model_provider'],
    ['openai_base_url = "http://127.0.0.1:9/v1"', 'openai_base_url'],
    ['base_url = "http://127.0.0.1:9/v1"', 'base_url'],
    ['profile = "full"', 'profile'],
    ['environment = "theirs"', 'environment'],
    ['model_context_window = 9', 'model_context_window'],
    ['[model_providers.openai]\nbase_url = "http://127.0.0.1:9/v1"', 'model_providers'],
    ['[profiles.p]\nsandbox_mode = "danger-full-access"', 'profiles'],
    ['[environments.local]\nurl = "ws://h:1"', 'environments'],
    ['[sandbox_workspace_write]\nwritable_roots = ["/"]\nnetwork_access = true', 'sandbox_workspace_write'],
    ['[shell_environment]\ninclude = ["*"]', 'shell_environment'],
    ['[__proto__]\nmodel = "m"', '__proto__'],
    ['[tui]\nplain = true\nreduced_motion = true\nambiguous_width = 2', 'tui'],
  ])('may not be %j', (text, key) => {
    const { values, warnings } = read(`\n${text}\n`)
    expect(values).toEqual({})
    expect(warnings).toEqual([`.parley/config.toml:2: "${key}" is ignored: only your own config.toml can set this.`])
  })

  it.each(['bearer_token_env_var = "OPENAI_API_KEY"', 'http_headers = { Authorization = "x" }'])(
    'may not be %j of a server at a URL',
    (line) => {
      const { values, warnings } = read(`[mcp_servers.x]\nurl = "https://a.example/mcp"\n${line}\n`)
      expect(values).toEqual({ mcp_servers: { x: { url: 'https://a.example/mcp' } } })
      expect(warnings).toEqual([expect.stringMatching(/^\.parley\/config\.toml:3: "mcp_servers\.x\.\w+" is ignored/)])
    },
  )

  it.each([
    ['a name that the user has', '[mcp_servers.mine]\ncommand = "evil"'],
    ['a name that is no plain word', '[mcp_servers."a b"]\ncommand = "evil"'],
    ['a name that every object has', '[mcp_servers.__proto__]\ncommand = "evil"'],
    ['a folder above the project', '[mcp_servers.x]\ncommand = "evil"\ncwd = "a/../.."'],
    ['a folder elsewhere', '[mcp_servers.x]\ncommand = "evil"\ncwd = "/tmp"'],
    ['no table', '[mcp_servers]\nx = "evil"'],
  ])('may not be a tool server with %s', (_, text) => {
    const { values, warnings } = read(text, { mcp_servers: { mine: { command: 'good' } } })
    expect(values.mcp_servers).toEqual({})
    expect(warnings).toHaveLength(1)
  })

  it('may be hooks, and none outside the sandbox', () => {
    const { values, warnings } = read('[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "x"\noutside_sandbox = true\n')
    expect(values).toEqual({ hooks: { Stop: [{ hooks: [{ command: 'x' }] }] } })
    expect(warnings).toEqual([
      '.parley/config.toml:4: "hooks.Stop.hooks.outside_sandbox" is ignored: only your own config.toml can set this.',
    ])
  })

  it.each(['model =', 'model = 5', '[hooks]\nStop = "x"', '[mcp_servers.x]\ncommand = 5', '\u0000'])(
    'are none where the file contains %j, and nothing is thrown',
    (text) => {
      const { values, warnings } = read(`${text}\n`)
      expect(values).toEqual({})
      expect(warnings).toEqual([
        expect.stringMatching(/^\.parley\/config\.toml:[12]:.* Nothing of this file takes effect\.$/),
      ])
    },
  )
})

/** Values to try for a key until its schema takes one; the strictest of an enumeration comes first. */
const candidates = [
  '"untrusted"',
  '"command"',
  '"read-only"',
  '"chat"',
  '"ansi"',
  '"keyring"',
  '"own"',
  '"x"',
  '"/x"',
  '"ws://h:1"',
  '"https://h"',
  '1',
  'true',
  '["x"]',
  '["/x"]',
  '{ A = "1" }',
  '["nats://h:1"]',
  '"10m"',
]

/** Returns the paths of all keys of the schema down to plain values, lists and maps of texts; `*` stands for a name or event. */
function leavesOf(schema: unknown, path: readonly string[] = []): string[] {
  const { def } = schema as { def: Record<string, unknown> & { type: string } }
  if (def.type === 'optional') return leavesOf(def['innerType'], path)
  if (def.type === 'object')
    return Object.entries(def['shape'] as object).flatMap(([key, inner]) => leavesOf(inner, [...path, key]))
  const element = def['element'] as { def: { type: string } } | undefined
  if (def.type === 'array' && element?.def.type === 'object') return leavesOf(element, path)
  const value = def['valueType'] as { def: { type: string } } | undefined
  if (def.type === 'record' && value?.def.type === 'object') return leavesOf(value, [...path, '*'])
  return [path.join('.')]
}

/** Returns the lines that set a key, one for each candidate. */
const linesFor = (key: string) => candidates.map((value) => lineFor(key, value))

function lineFor(key: string, value: string): string {
  const ofHook = /^hooks\.\*\.(hooks\.)?(\w+)$/.exec(key)
  if (ofHook === null) {
    // Nothing of a store is taken without its servers.
    const needed = /^store\.(?!servers)/.test(key) ? 'store.servers = ["nats://h:1"]\n' : ''
    return `${needed}${key.replaceAll('*', 'x')} = ${value}`
  }
  const [, isHandler, name = ''] = ofHook
  const set = `${name} = ${value}`
  const command = name === 'command' ? set : `${isHandler === undefined ? '' : `${set}, `}command = "c"`
  return `[[hooks.Stop]]\n${isHandler === undefined ? `${set}\n` : ''}hooks = [{ ${command} }]`
}

const at = (values: object, key: string) =>
  key.split('.').reduce<unknown>((inner, name) => {
    const table = Object(inner)
    const found = name === '*' ? (table.Stop ?? table.x) : table[name]
    return Array.isArray(found) && typeof found[0] === 'object' ? found[0] : found
  }, values)

describe('each key of the schema', () => {
  const leaves = [...new Set(leavesOf(configSchema).map((key) => key.replace(/^hooks\.\w+/, 'hooks.*')))]

  it('is found by the walk, and the list has no other', () => {
    expect(leaves).toEqual(expect.arrayContaining([...projectKeys, 'model_providers.*.headers', 'profile']))
    expect(leaves.length).toBeGreaterThan(40)
  })

  it('is in the list of keys that every reader of them has', () => {
    expect(Object.keys(configSchema.shape).toSorted()).toEqual(configKeys.toSorted())
  })

  it.each(leaves)('%s takes effect from a project only if it is listed', (key) => {
    const own = linesFor(key).map((line) => layerOfText(line))
    expect(own.some((values) => at(values, key) !== undefined)).toBe(true)
    const kept = linesFor(key).some((line) => at(read(line).values, key) !== undefined)
    expect(kept).toBe(projectKeys.includes(key))
  })

  it('is the user’s alone, but for these', () => {
    expect(projectKeys).toMatchInlineSnapshot(`
      [
        "model",
        "model_reasoning_effort",
        "approval_policy",
        "sandbox_mode",
        "mcp_servers.*.command",
        "mcp_servers.*.args",
        "mcp_servers.*.env",
        "mcp_servers.*.cwd",
        "mcp_servers.*.url",
        "mcp_servers.*.enabled",
        "mcp_servers.*.startup_timeout_sec",
        "mcp_servers.*.tool_timeout_sec",
        "mcp_servers.*.enabled_tools",
        "mcp_servers.*.disabled_tools",
        "hooks.*.matcher",
        "hooks.*.hooks.type",
        "hooks.*.hooks.command",
        "hooks.*.hooks.name",
        "hooks.*.hooks.timeout",
        "hooks.*.hooks.required",
      ]
    `)
  })
})

function layerOfText(text: string): Config {
  const parsed = configSchema.safeParse(parseToml(text, 'config.toml'))
  return parsed.success ? parsed.data : {}
}

describe('a malicious project', () => {
  it('causes at most 21 warnings, of which every character is visible', () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `k${index} = 1`).join('\n')
    const { warnings } = read(keys)
    expect(warnings).toHaveLength(21)
    expect(warnings.at(-1)).toBe('.parley/config.toml: 4980 more of its lines are ignored.')
    const [nasty = ''] = read('"\\u001b]0;x\\u0007\\u202e\\nok" = 1').warnings
    expect(nasty).toBe(
      '.parley/config.toml: "\\u{1b}]0;x\\u{7}\\u{202e}\\u{a}ok" is ignored: only your own config.toml can set this.',
    )
    expect(read(`${'x'.repeat(10_000)} = 1`).warnings[0]?.length).toBeLessThan(450)
  })

  it('has at most 32 tool servers', () => {
    const servers = Array.from({ length: 40 }, (_, index) => `[mcp_servers.s${index}]\ncommand = "x"\n`).join('')
    const { values, warnings } = read(servers)
    expect(Object.keys(values.mcp_servers ?? {})).toHaveLength(32)
    expect(warnings).toHaveLength(8)
  })

  it.each([`a = ${'['.repeat(50_000)}`, `a${'.a'.repeat(30_000)} = 1`, `[mcp_servers.x.env${'.a'.repeat(12_000)}]`])(
    'does not break the reader with deep nesting',
    (text) => {
      expect(read(text).values.model).toBeUndefined()
    },
  )
})

describe('the limits that a project sets', () => {
  const policies = ['untrusted', 'on-failure', 'on-request', 'never'] as const
  const stricter = new Set(['on-failure > on-request', 'on-failure > untrusted', 'on-request > untrusted'])

  it.each(policies.flatMap((own) => policies.map((wanted) => [own, wanted] as const)))(
    'where the user has %s, include %s only if it asks more',
    (own, wanted) => {
      const { values, warnings } = read(`approval_policy = "${wanted}"`, { approval_policy: own })
      const takes = stricter.has(`${own} > ${wanted}`)
      expect(values).toEqual(takes ? { approval_policy: wanted } : {})
      expect(warnings).toHaveLength(takes || own === wanted ? 0 : 1)
    },
  )

  const modes = ['read-only', 'workspace-write', 'danger-full-access'] as const

  it.each(modes.flatMap((own, at) => modes.map((wanted, place) => [own, wanted, place < at] as const)))(
    'where the user has %s, include %s: %s',
    (own, wanted, takes) => {
      const { values, warnings } = read(`sandbox_mode = "${wanted}"`, { sandbox_mode: own })
      expect(values).toEqual(takes ? { sandbox_mode: wanted } : {})
      expect(warnings).toHaveLength(takes || own === wanted ? 0 : 1)
    },
  )

  it('are compared with the defaults where the user has set none', () => {
    expect(read('approval_policy = "never"\nsandbox_mode = "danger-full-access"')).toMatchObject({
      values: {},
      warnings: [
        '.parley/config.toml:1: approval_policy = "never" is ignored: a project can only be stricter than your own setting, on-request.',
        '.parley/config.toml:2: sandbox_mode = "danger-full-access" is ignored: a project can only be stricter than your own setting, workspace-write.',
      ],
    })
  })
})
