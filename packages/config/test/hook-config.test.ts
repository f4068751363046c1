import { describe, expect, it } from 'vitest'
import { configSchema } from '../src/config-schema.ts'
import { configuredHooks, hookExample } from '../src/hook-config.ts'
import { layerOf } from '../src/layer.ts'
import { lineOfKey, parseToml } from '../src/toml.ts'

const read = (text: string) => layerOf(parseToml(text, 'config.toml'), 'config.toml', (path) => lineOfKey(text, path))
const hooksIn = (text: string) => configuredHooks(read(text).values.hooks)

describe('hooks of config.toml', () => {
  it('are shown by an example that is right', () => {
    expect(hooksIn(hookExample)).toMatchObject([{ on: 'PreToolUse', matcher: 'Bash', command: '~/bin/check.sh' }])
  })

  it('are written as those of Codex are', () => {
    const text = `[[hooks.PreToolUse]]
matcher = "Bash|apply_patch"
[[hooks.PreToolUse.hooks]]
type = "command"
command = "guard.sh --strict"
timeout = 5
[[hooks.Stop]]
[[hooks.Stop.hooks]]
command = ["check", "it"]
required = true
name = "check"
`
    expect(hooksIn(text)).toEqual([
      {
        on: 'PreToolUse',
        matcher: 'Bash|apply_patch',
        name: 'guard.sh --strict',
        command: 'guard.sh --strict',
        timeoutMs: 5000,
        required: false,
        outsideSandbox: false,
      },
      {
        on: 'Stop',
        name: 'check',
        command: ['check', 'it'],
        timeoutMs: 60_000,
        required: true,
        outsideSandbox: false,
      },
    ])
  })

  it.each([
    ['[[hooks.PreToolUse]]\nmatcher = "("\nhooks = [{ command = "x" }]', 'must be a regular expression'],
    ['[[hooks.Stop]]\nhooks = [{ type = "prompt", command = "x" }]', 'parley runs no other hooks'],
    [
      '[[hooks.Stop]]\nhooks = [{ command = "x", timeout = 601 }]',
      'config.toml:2: hooks.Stop.hooks.timeout: must be at most 600.',
    ],
    ['[[hooks.Stop]]\nhooks = []', 'config.toml:2: hooks.Stop.hooks: must have at least 1 entry.'],
    [
      '[[hooks.Stop]]\nhooks = [{ comand = "x" }]',
      'config.toml:2: hooks.Stop.hooks.command: is missing, and must be a line',
    ],
    ['[hooks.Stop]\ncommand = "x"', 'must be a list ([…]), and is a table. For example: hooks.PreToolUse = [{'],
    ['hooks = "x"', 'config.toml:1: hooks: must be a table, and is a text.'],
    ['sandbox_mode = "full"', 'sandbox_mode: must be "read-only" or "workspace-write" or "danger-full-access".'],
    [
      '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "x"\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "x"\n[[hooks.Stop.hooks]]\ncommand = 3',
      'config.toml:8: hooks.Stop.hooks.command: must be a line',
    ],
    ['[[hooks.Stop]]\nhooks = [{ command = " " }]', 'must not be empty'],
  ])('are refused in %j', (text, problem) => {
    expect(() => read(text)).toThrow(problem)
  })

  it('warn of a mistyped key and of an event that does not exist', () => {
    expect(read('[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "x"\ntimout = 1').warnings).toEqual([
      'config.toml:4: unknown key "hooks.Stop.hooks.timout". Did you mean "timeout"?',
    ])
    expect(read('[[hooks.PreToolUze]]\nhooks = [{ command = "x" }]').warnings).toEqual([
      'config.toml:1: unknown key "hooks.PreToolUze". Did you mean "PreToolUse"?',
    ])
  })

  it('are left out where there are none', () => {
    expect(configuredHooks(configSchema.parse({}).hooks)).toEqual([])
  })
})
