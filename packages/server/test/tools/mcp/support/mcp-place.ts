import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ScriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestPorts } from '@parley/engine/test/support/test-parts.ts'
import type { McpServer, ParamsOf } from '@parley/protocol'
import { descendantsWithMark, killMarked, markVariable, newMark, waitUntil } from '@parley/testkit'
import { vi } from 'vitest'
import { type Talk, type TestPlace, testPlace } from '../../../engine/support/test-server.ts'

// Real processes on a machine that does other things as well.
vi.setConfig({ testTimeout: 20_000 })

const script = fileURLToPath(new URL('ugly-server.mjs', import.meta.url))

type Behaviour =
  | 'plain'
  | 'silent'
  | 'late'
  | 'rubbish'
  | 'flood'
  | 'many'
  | 'dies'
  | 'crashes'
  | 'children'
  | 'stubborn'

interface Launch {
  readonly command: string
  readonly args: string[]
  readonly env: { readonly name: string; readonly value: string }[]
}

/** A place whose configuration names MCP servers that are run for real. */
export interface McpPlace extends TestPlace {
  /** Adds `[mcp_servers.NAME]`. */
  configure(name: string, behaviour: Behaviour, more?: string): void
  append(section: string): void
  /** Command, arguments and variables of such a server, for whoever starts it otherwise. */
  launch(name: string, behaviour: Behaviour): Launch
  /** With little patience for servers that start or break down, unless told otherwise. */
  talkTo(model: ScriptedModel, params?: Partial<ParamsOf<'conversation/create'>>, ports?: TestPorts): Promise<Talk>
  /** The requests and notifications that a server got. */
  diary(name: string): { method?: string; params?: Record<string, unknown> }[]
  processes(): readonly number[]
  /** Returns the log of a server. */
  log(name: string): string
}

export function mcpPlace(): McpPlace {
  const place = testPlace()
  const home = join(place.root, '.parley')
  const mark = newMark()
  const append = (text: string) => appendFileSync(join(home, 'config.toml'), text)
  const diaryOf = (name: string) => join(place.root, `${name}.diary`)
  return {
    ...place,
    append,
    configure: (name, behaviour, more = '') =>
      append(
        `\n[mcp_servers."${name}"]\ncommand = "${process.execPath}"\nargs = ["${script}", "${behaviour}", "${diaryOf(name)}"]\nenv = { ${markVariable} = "${mark}" }\n${more}\n`,
      ),
    launch: (name, behaviour) => ({
      command: process.execPath,
      args: [script, behaviour, diaryOf(name)],
      env: [{ name: markVariable, value: mark }],
    }),
    talkTo: (model, params, ports) =>
      place.talk({ model, mcpPatience: { firstRequestMs: 15_000, restartDelaysMs: [5, 5, 5] }, ...ports }, params),
    diary: (name) => (existsSync(diaryOf(name)) ? linesOf(diaryOf(name)) : []),
    processes: () => descendantsWithMark(mark),
    log: (name) => readFileSync(join(home, 'logs', `mcp-${name}.log`), 'utf8'),
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]()
      killMarked(mark)
    },
  }
}

function linesOf(path: string) {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** The one server of a talk, once it is in a state. */
export async function serverIn({ client }: Talk, state: McpServer['state']): Promise<McpServer> {
  return await waitUntil(
    async () => (await client.request('mcp/list', {})).servers.find((server) => server.state === state),
    { what: `an MCP server that is ${state}`, timeoutMs: 30_000 },
  )
}

/** A call of a tool of the server `ugly`. */
export function calling(tool: string, args: unknown = {}) {
  return { calls: [{ name: `mcp__ugly__${tool}`, args }] }
}
