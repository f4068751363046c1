import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { cliPath, hasFullSandbox, noFullSandbox } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { choose, type Editor, startAcp, startEditor } from '../acp/acp-client.ts'
import { makeWorld, type World } from '../mcp-server/world.ts'

// Each test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 60_000 })

const adapter = createRequire(import.meta.url).resolve('@agentclientprotocol/codex-acp')

/** Starts the adapter as an editor does, with parley in the place of the program that it would bring. */
function startAdapter({ env, cwd }: World) {
  const program = join(env['PARLEY_HOME'] ?? cwd, 'codex')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${cliPath}' app-server\n`, { mode: 0o700 })
  return spawn(process.execPath, [adapter], { env: { ...env, CODEX_PATH: program }, cwd, stdio: 'pipe' })
}

function ask({ agent }: Editor, sessionId: string) {
  return agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: 'go' }] })
}

const outside = (command: string) => ({
  calls: [{ name: 'shell', arguments: { command, escalate: true, reason: 'it must' } }],
})

test('codex-acp shows a patch with its texts, and asks for commands that are run or not as it answers', async (context) => {
  context.skip(!hasFullSandbox, noFullSandbox)
  const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch'
  await using world = await makeWorld([
    { calls: [{ name: 'apply_patch', arguments: { patch } }] },
    outside('echo hi > made.txt; cat made.txt'),
    outside('touch denied.txt'),
    { text: 'That was it.', chunks: 3 },
  ])
  writeFileSync(join(world.cwd, 'a.txt'), 'old\n')
  const kinds = ['allow_once', 'reject_once']
  const answer: Parameters<typeof startEditor>[1] = ({ options }) => {
    const kind = kinds.shift()
    return choose(options.find((option) => option.kind === kind)?.optionId ?? 'none')
  }
  await using editor = await startEditor(world, answer, startAdapter)
  expect(await ask(editor, await editor.open())).toMatchObject({ stopReason: 'end_turn' })
  expect(readFileSync(join(world.cwd, 'a.txt'), 'utf8')).toBe('new\n')
  expect(readFileSync(join(world.cwd, 'made.txt'), 'utf8')).toBe('hi\n')
  expect(existsSync(join(world.cwd, 'denied.txt'))).toBe(false)
  expect(editor.questions).toHaveLength(2)
  expect(JSON.stringify(editor.updates)).toContain('"newText":"new')
  expect(editor.said('agent_message_chunk')).toContain('That was it.')
})

test('codex-acp loads a session with its whole history, and goes on in it', async () => {
  // The adapter asks for a title as well, at a moment of its own.
  await using world = await makeWorld(Array.from({ length: 12 }, (_, index) => ({ text: `Answer ${index}.` })))
  const before = await (async () => {
    await using editor = await startEditor(world, undefined, startAdapter)
    const sessionId = await editor.open()
    for (let round = 0; round < 4; round += 1) await ask(editor, sessionId)
    return { sessionId, said: editor.said('agent_message_chunk') }
  })()
  expect(before.said).toMatch(/^(?:Answer \d+\.){4}$/)
  const { sessionId } = before
  await using editor = await startEditor(world, undefined, startAdapter)
  await editor.agent.request(methods.agent.session.load, { sessionId, cwd: world.cwd, mcpServers: [] })
  expect(editor.said('agent_message_chunk')).toBe(before.said)
  expect(editor.said('user_message_chunk')).toBe('go'.repeat(4))
  expect(await ask(editor, sessionId)).toMatchObject({ stopReason: 'end_turn' })
  expect(editor.said('agent_message_chunk')).toMatch(/^(?:Answer \d+\.){5}$/)
})

test('codex-acp loads a session of 300 items whole, its turns in their order', async () => {
  const rounds = 10
  const looks = 28
  const step = (round: number) => [
    { calls: Array.from({ length: looks }, (_, index) => look(`r${round}-${index}`)) },
    { text: `Answer ${round}.` },
  ]
  await using world = await makeWorld(Array.from({ length: rounds }, (_, round) => step(round)).flat())
  const sessionId = await (async () => {
    await using editor = await startEditor(world, undefined, startAcp)
    const opened = await editor.open()
    for (let round = 0; round < rounds; round += 1) await ask(editor, opened)
    return opened
  })()
  await using editor = await startEditor(world, undefined, startAdapter)
  await editor.agent.request(methods.agent.session.load, { sessionId, cwd: world.cwd, mcpServers: [] })
  const shown = editor.updates.flatMap((update) => {
    if (update.sessionUpdate === 'tool_call') return /r\d+-\d+/.exec(JSON.stringify(update.rawInput)) ?? ['?']
    const isMessage = update.sessionUpdate === 'agent_message_chunk' || update.sessionUpdate === 'user_message_chunk'
    return isMessage && update.content.type === 'text' ? [update.content.text] : []
  })
  const expected = Array.from({ length: rounds }, (_, round) => [
    'go',
    ...Array.from({ length: looks }, () => `r${round}`),
    `Answer ${round}.`,
  ])
  // The looks of a round run together.
  expect(shown.map((text) => text.replace(/^(r\d+)-\d+$/, '$1'))).toEqual(expected.flat())
  expect(new Set(shown).size).toBe(rounds * (looks + 1) + 1)
})

const look = (name: string) => ({ name: 'search', arguments: { pattern: name } })
