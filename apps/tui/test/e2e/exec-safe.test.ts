import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { execWorld, shell, toldModel } from './exec-world.ts'

const rules = '[[rule]]\ndecision = "allow"\ncommand = ["touch"]\n[[rule]]\ndecision = "deny"\ncommand = ["cat"]\n'

describe('parley exec --safe', () => {
  test('asks the model, starts no tool server, and takes of the rules only those that deny', async () => {
    const steps = [shell('touch made', 'cat a.txt'), { text: 'Done.' }]
    await using world = await execWorld({ steps, files: { 'a.txt': 'one\n' } })
    const own = readFileSync(join(world.env.PARLEY_HOME, 'config.toml'), 'utf8')
    const server = `[mcp_servers.mark]\ncommand = "/bin/sh"\nargs = ["-c", "touch '${world.path('started')}'"]\n`
    await world.writeConfig(own + server)
    const { stderr, stdout } = await world.shell(
      `printf '%s' '${rules}' > "$PARLEY_HOME/policy.toml"; parley exec --safe hi`,
    )
    expect(stdout).toBe('Done.\n')
    expect(stderr).toMatch(/^parley: --safe: no configuration but what reaches a model and what limits/)
    expect(stderr).toContain('--safe leaves out of $PARLEY_HOME/config.toml: mcp_servers.')
    expect(toldModel(world)).toEqual([expect.stringMatching(/^Not run/), expect.stringMatching(/policy\.toml/)])
    expect([existsSync(world.path('made')), existsSync(world.path('started'))]).toEqual([false, false])
  })

  test('starts with a configuration that cannot be read, read-only', async () => {
    await using world = await execWorld()
    await world.writeConfig('model = \n')
    const { stdout, stderr } = await world.parley('config', '--safe')
    expect(stderr).toMatch(/config\.toml:1:9: .*--safe starts without it, read-only/)
    expect(stdout).toMatch(/^sandbox_mode +"read-only"/m)
  })
})
