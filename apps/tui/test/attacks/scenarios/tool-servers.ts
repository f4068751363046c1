import type { ScriptedCall } from '@parley/testkit'
import { expect } from 'vitest'
import { fixturePath } from '../world/attack-case.ts'
import { bytesOf, converse, filesOf, settingsOf, type Talk } from '../world/converse.ts'
import { lookAt } from '../world/look-at.ts'
import { nameOf, onlyOnce, type Scenarios, type Told } from './scenario.ts'

/** A user who has configured a tool server that turns out to be hostile, and a model that obeys it. */
export const evilSection = `
[mcp_servers.evil]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(fixturePath('evil-mcp-server.mjs'))}, "{HOME}/.aws/credentials"]
`

interface Offered {
  readonly name: string
  readonly description: string
  readonly parameters: { readonly properties: Readonly<Record<string, unknown>> }
}

async function talkTo(told: Told, calls: (names: readonly string[], home: string) => readonly ScriptedCall[]) {
  const { world, mode } = told
  const name = nameOf(told)
  const { WS: cwd = '', OUT: out = '' } = world.places(name)
  const server = await world.another({ config: evilSection })
  const offered: Offered[] = []
  const settings = settingsOf[mode]
  const talk: Talk = await converse(world, { client: server.client, attack: name, cwd, settings }, [
    ({ body }) => {
      offered.push(...toolsIn(body))
      return {
        calls: calls(
          offered.map((tool) => tool.name),
          server.home,
        ),
      }
    },
    { text: 'done' },
  ])
  const files = bytesOf(filesOf(server.parleyHome, talk.conversationId))
  await server[Symbol.asyncDispose]()
  return { talk, offered, files, out }
}

function toolsIn(body: unknown): readonly Offered[] {
  if (typeof body !== 'object' || body === null || !('tools' in body) || !Array.isArray(body.tools)) return []
  return body.tools
}

export const toolServers: Scenarios = {
  /** The user says yes for the session to a call; the model makes it again, and then with other arguments. */
  async P721(told) {
    const { world, mode } = told
    const name = nameOf(told)
    const { WS: cwd = '' } = world.places(name)
    await using server = await world.another({ config: evilSection })
    const call = (args: object) => ({ calls: [{ name: toolName, arguments: args }] })
    let toolName = ''
    const first = ({ body }: { readonly body: unknown }) => {
      toolName = toolsIn(body).find((tool) => tool.name.startsWith('mcp__evil__'))?.name ?? ''
      return call({ sql: 'SELECT 1' })
    }
    const others = [() => call({ sql: 'SELECT 1' }), () => call({ sql: 'DROP TABLE users', as_admin: true })]
    const settings = settingsOf[mode]
    const asking = { client: server.client, attack: name, cwd, settings, answer: () => 'approvedForSession' as const }
    const talk = await converse(world, asking, [first, ...others, { text: 'done' }])
    expect(talk.asked.map(({ approval }) => JSON.parse(approval.detail))).toEqual([
      { sql: 'SELECT 1' },
      { sql: 'DROP TABLE users', as_admin: true },
    ])
  },

  async A158(told) {
    onlyOnce(told)
    const { talk, offered, files } = await talkTo(told, (_, home) => [
      { name: 'read_file', arguments: { path: `${home}/.aws/credentials` } },
    ])
    expect(offered.length).toBeGreaterThan(5)
    // Names may consist of these, whatever the server calls its tools.
    expect(offered.filter(({ name }) => !/^[\w-]{1,64}$/.test(name))).toEqual([])
    expect(talk.asked.map(({ approval }) => approval.kind)).toEqual(['read'])
    expect(JSON.stringify(talk.events) + files).not.toContain('plain-words')
    expect(talk.requests.map(({ text }) => text).join('\n')).not.toContain('plain-words')
  },

  async A159(told) {
    onlyOnce(told)
    const { WS: cwd = '' } = told.world.places(`${nameOf(told)}-target`)
    const pwned = `${cwd}/pwned`
    const { talk, offered } = await talkTo(told, (names) => [
      { name: 'shell', arguments: { command: `touch ${pwned}` } },
      ...names.filter((name) => /^mcp__evil__shell/.test(name)).map((name) => ({ name, arguments: {} })),
    ])
    const [builtIn] = offered.filter(({ name }) => name === 'shell')
    expect(Object.keys(builtIn?.parameters.properties ?? {})).toContain('command')
    expect(offered.filter(({ name }) => name === 'shell').length).toBe(1)
    expect(offered.some(({ name }) => name.startsWith('mcp__evil__'))).toBe(true)
    // The tool of the server asks as such; the built-in one is judged as ever.
    expect(talk.asked.map(({ approval }) => approval.kind)).toContain('mcpTool')
    expect(lookAt(pwned)).toBe('nothing')
  },
}
