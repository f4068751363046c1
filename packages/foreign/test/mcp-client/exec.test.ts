import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCli, startModelServer, tempHome, tempWorkspace } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, it, vi } from 'vitest'
import { modelSection, referenceServer, stdioServer } from './talk.ts'

// Real processes on a machine that does other things as well.
vi.setConfig({ testTimeout: 60_000 })

async function exec(tool: string, args: readonly string[], policy = '') {
  await using model = await startModelServer([
    { calls: [{ name: `mcp__everything__${tool}`, arguments: { a: 2, b: 3 } }] },
    { text: 'Done.' },
  ])
  await using home = await tempHome()
  await using workspace = await tempWorkspace()
  const section = stdioServer('everything', [referenceServer('everything'), 'stdio']).replaceAll('$MARK', 'none')
  await writeFile(join(home.env.PARLEY_HOME, 'config.toml'), `${modelSection(model.url)}\n${section}`)
  const policyFile = join(workspace.path, 'policy.toml')
  await writeFile(policyFile, policy)
  const result = await runCli(['exec', '--json', '--policy', policyFile, ...args, 'Go'], {
    env: home.env,
    cwd: workspace.path,
  })
  return { result, end: JSON.parse(result.lines().at(-1) ?? ''), asked: JSON.stringify(model.requests.at(-1)?.body) }
}

describe('an MCP tool in a script', () => {
  it('runs where a rule allows it', async () => {
    const { end, asked } = await exec('get-sum', [], '[[rule]]\ndecision = "allow"\nmcp = "everything/get-*"\n')
    expect(end).toMatchObject({ exitCode: 0, denials: [] })
    expect(asked).toContain('The sum of 2 and 3 is 5.')
  })

  it.runIf(isLong)('is denied where none does, and the run says so', async () => {
    const { end, asked } = await exec('get-sum', [])
    expect(end).toMatchObject({ denials: [{ title: 'everything: get-sum' }] })
    expect(asked).toContain('no rule allows it')
  })

  it.runIf(isLong)('that asks the user gets no answer at once, and the run ends', async () => {
    const { end, asked } = await exec('trigger-elicitation-request', [], '[[rule]]\ndecision = "allow"\nmcp = "*/*"\n')
    expect(end).toMatchObject({ exitCode: 0 })
    expect(asked).toContain('cancelled')
  })
})
