import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { McpServer } from '@agentclientprotocol/sdk'
import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { describe, expect, it } from 'vitest'
import { type McpPlace, mcpPlace } from '../../tools/mcp/support/mcp-place.ts'
import { openEditor } from './editor.ts'
import { answers, argsOf, envOf, handed, mcpPatience, startsAsked } from './handed-servers.ts'

describe('a server of an editor with editor_servers = "own"', () => {
  const own = '[acp]\neditor_servers = "own"\n'

  /** Opens a session with a server, lets it start, and returns the sandboxes that were set up and the question. */
  async function started(place: McpPlace, one: McpServer) {
    const { sandboxes, prepared } = fakeSandboxes()
    const server = place.start({ model: answers(1), mcpPatience, sandboxes })
    await using editor = await openEditor(server)
    const { sessionId } = await editor.open(place.cwd, [one])
    await editor.say(sessionId, 'go')
    expect(place.processes()).toHaveLength(1)
    return { prepared, question: JSON.stringify(startsAsked(editor)[0]?.toolCall.content) }
  }

  it("runs as the user's own, in the home folder, where its program lies outside", async () => {
    await using place = mcpPlace()
    place.append(own)
    const { prepared, question } = await started(place, handed(place))
    expect(prepared).toEqual([])
    expect(question).toContain('outside any sandbox, as your own servers are')
    expect(question).toContain(`in ${place.root}`)
  })

  it.each([
    [
      'a variable chooses code',
      (one: McpServer) => ({
        ...one,
        env: [...envOf(one), { name: 'NODE_OPTIONS', value: '--import=data:text/javascript,' }],
      }),
    ],
    ['its script lies in the workspace', (one: McpServer) => ({ ...one, args: ['./copy.mjs', 'plain'] })],
    ['a script is loaded from it', (one: McpServer) => ({ ...one, args: ['--import=./empty.mjs', ...argsOf(one)] })],
    ['a script is loaded by an option with its whole path', loading],
    [
      'an option names the folder',
      (one: McpServer, cwd: string) => ({ ...one, args: [...argsOf(one), `--directory=${cwd}`] }),
    ],
    [
      'a variable leads into it',
      (one: McpServer, cwd: string) => ({ ...one, env: [...envOf(one), { name: 'NODE_PATH', value: cwd }] }),
    ],
    ['it is given a relative path', (one: McpServer) => ({ ...one, args: [...argsOf(one), '.'] })],
    [
      'its program is found there',
      (one: McpServer, cwd: string) => ({
        ...one,
        command: 'node',
        env: [...envOf(one), { name: 'PATH', value: `${cwd}/bin` }],
      }),
    ],
  ])('runs in the sandbox where %s', async (_, change) => {
    await using place = mcpPlace()
    place.append(own)
    const [script = ''] = argsOf(handed(place))
    place.write('copy.mjs', `await import(${JSON.stringify(script)})\n`)
    place.write('empty.mjs', '')
    mkdirSync(join(place.cwd, 'bin'))
    writeFileSync(join(place.cwd, 'bin', 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
    const { prepared, question } = await started(place, change(handed(place), place.cwd))
    expect(prepared.length).toBeGreaterThan(0)
    expect(question).toContain('in the sandbox')
  })

  it('is asked about again with another value, but for that of a secret', async () => {
    await using place = mcpPlace()
    place.append(own)
    const server = place.start({ model: answers(3), mcpPatience, sandboxes: fakeSandboxes().sandboxes })
    await using editor = await openEditor(server)
    for (const [values, count] of [
      [{ API_TOKEN: 'token-1', MODE: 'a' }, 1],
      [{ MODE: 'a', API_TOKEN: 'token-2' }, 1],
      [{ API_TOKEN: 'token-2', MODE: 'b' }, 2],
    ] as const) {
      const { sessionId } = await editor.open(place.cwd, [handed(place, values)])
      await editor.say(sessionId, 'go')
      expect(startsAsked(editor)).toHaveLength(count)
    }
  })

  it('is shown with the values of its variables, but for secrets', async () => {
    await using place = mcpPlace()
    place.append(own)
    const values = { API_TOKEN: 'value-1', API_URL: 'https://ada:geheim-4711x@h.example/v1', LOG_LEVEL: 'debug' }
    const { prepared, question } = await started(place, handed(place, values))
    expect(prepared).toEqual([])
    expect(question).toContain('API_TOKEN, ')
    expect(question).toContain('LOG_LEVEL=debug')
    expect(question).toContain('@h.example/v1')
    expect(question).not.toMatch(/value-1|geheim/)
  })

  it('is not so by the configuration of a project, trusted or not', async () => {
    await using place = mcpPlace()
    mkdirSync(join(place.cwd, '.parley'))
    place.write('.parley/config.toml', own)
    const talk = await place.talkTo(answers(1))
    const { hash } = await talk.client.request('trust/read', { cwd: place.cwd })
    await talk.client.request('trust/decide', { cwd: place.cwd, hash: hash ?? '', verdict: 'trusted' })
    const { prepared, question } = await started(place, handed(place))
    expect(prepared.length).toBeGreaterThan(0)
    expect(question).toContain('in the sandbox')
  })
})

function loading(one: McpServer, cwd: string) {
  return { ...one, args: [`--import=${cwd}/empty.mjs`, ...argsOf(one)] }
}
