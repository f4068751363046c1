import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cliPath } from '@parley/testkit'
import { generateText, streamText } from 'ai'
import { createCodexAppServer, createCodexExec } from 'ai-sdk-provider-codex-cli'
import { describe, expect, test, vi } from 'vitest'
import { makeWorld, type World } from './mcp-server/world.ts'

vi.setConfig({ testTimeout: 60_000 })

const patch = '*** Begin Patch\n*** Add File: made.txt\n+made\n*** End Patch'
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** Settings of a user with parley in the place of Codex. */
async function settingsIn({ env, cwd }: World) {
  const codexPath = join(env['PARLEY_HOME'] ?? cwd, 'codex')
  await writeFile(codexPath, `#!/bin/sh\nexec '${process.execPath}' '${cliPath}' "$@"\n`, { mode: 0o700 })
  return { codexPath, cwd, env, logger: quiet }
}

describe('ai-sdk-provider-codex-cli', () => {
  test('has an answer by exec, after a command and a patch', async () => {
    await using world = await makeWorld([
      { calls: [{ name: 'apply_patch', arguments: { patch } }] },
      { text: 'It is made.', usage: { input: 100, cached: 40, output: 20, reasoning: 5 } },
    ])
    const codex = createCodexExec({
      defaultSettings: {
        ...(await settingsIn(world)),
        skipGitRepoCheck: true,
        approvalMode: 'never',
        sandboxMode: 'danger-full-access',
      },
    })
    const { text, usage } = await generateText({ model: codex('gpt-5'), prompt: 'Make it.' })
    expect(text).toBe('It is made.')
    expect(usage).toMatchObject({ outputTokens: expect.any(Number) })
    expect(await readFile(join(world.cwd, 'made.txt'), 'utf8')).toBe('made\n')
  })

  test.each([
    { color: 'never', dangerouslyBypassApprovalsAndSandbox: true },
    { color: 'always', fullAuto: true },
    { color: 'auto', approvalMode: 'on-failure', sandboxMode: 'workspace-write' },
  ] as const)('takes the settings of its examples: %j', async (settings) => {
    await using world = await makeWorld([{ text: 'hello' }])
    const codex = createCodexExec({
      defaultSettings: { ...(await settingsIn(world)), skipGitRepoCheck: true, ...settings },
    })
    expect(await generateText({ model: codex('gpt-5'), prompt: 'Say hello.' })).toMatchObject({ text: 'hello' })
  })

  test('streams an answer of an app-server, and goes on in its thread', async () => {
    await using world = await makeWorld([{ text: 'One.', chunks: 2 }, { text: 'Two.' }])
    const codex = createCodexAppServer({ defaultSettings: { ...(await settingsIn(world)), threadMode: 'persistent' } })
    try {
      const model = codex('gpt-5')
      const first = streamText({ model, prompt: 'First.' })
      expect(await first.text).toBe('One.')
      const second = await generateText({ model, prompt: 'Second.' })
      expect(second.text).toBe('Two.')
      expect(JSON.stringify(world.model.requests.at(-1)?.body)).toContain('First.')
    } finally {
      await codex.close()
    }
  })
})
