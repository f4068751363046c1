import { expect } from 'vitest'
import { messageOf } from '../world/converse.ts'
import { lookAt } from '../world/look-at.ts'
import { filled } from '../world/placeholders.ts'
import { type Heard, startRaw } from '../world/raw-program.ts'
import { nameOf, onlyOnce, type Scenario, type Scenarios } from './scenario.ts'

const initialize = {
  protocolVersion: '2025-06-18',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'raw', version: '1' },
}

/**
 * An approval is asked of an MCP client, which answers with the lines of the case. What was asked for would make
 * `asked`; what must never be there is `pwned`. `runs`: the answer is a yes to what was asked, and to nothing else.
 */
const answeredWith =
  ({ runs = false }: { readonly runs?: boolean } = {}): Scenario =>
  async (told) => {
    onlyOnce(told)
    const { world, attack } = told
    const name = nameOf(told)
    const places = world.places(name)
    const { WS: cwd = '', OUT: out = '' } = places
    const file = `${cwd}/src/asked`
    world.script(name, [{ calls: [{ name: 'shell', arguments: { command: `touch ${file}` } }] }, { text: 'done' }])
    await using program = startRaw({
      user: world.user,
      env: world.environment(world.home),
      cwd,
      program: 'mcp-server',
    })
    const ask = (id: number, method: string, params: object) =>
      program.line(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    ask(1, 'initialize', initialize)
    await program.until('the greeting', ({ id }) => id === 1)
    program.line(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    const call = { name: 'codex', arguments: { prompt: messageOf(name), cwd, 'approval-policy': 'untrusted' } }
    ask(2, 'tools/call', call)
    const question = await program.until('the question', ({ method }) => method === 'elicitation/create')
    expect(lookAt(file)).toBe('nothing')
    const other = '01a20000-0000-7000-8000-000000000000'
    for (const line of attack.input.lines ?? [])
      program.line(filled(withId(line, question), { ...places, OUT: out, A: other }))
    if (attack.id === 'A097')
      program.line(JSON.stringify({ jsonrpc: '2.0', id: question.id, result: { decision: 'denied' } }))
    await program.until('the end of the call', ({ id, method }) => id === 2 && method === undefined)
    expect(lookAt(file)).toMatch(runs ? /^file/ : /^nothing$/)
    expect(lookAt(`${out}/pwned`)).toBe('nothing')
    ask(3, 'ping', {})
    await program.until('the answer to a ping', ({ id }) => id === 3)
  }

function withId(line: string, { id }: Heard): string {
  return line.replaceAll(/"\{ASK(_OF_B)?\}"/g, JSON.stringify(id))
}

export const mcpFace: Scenarios = {
  A097: answeredWith(),
  A098: answeredWith(),
  A100: answeredWith(),
  A101: answeredWith({ runs: true }),
  A104: answeredWith(),
}
