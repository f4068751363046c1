import { pathToFileURL } from 'node:url'
import type { AttackWorld } from '../world/attack-world.ts'
import { messageOf } from '../world/converse.ts'
import { type Heard, type RawProgram, startRaw } from '../world/raw-program.ts'

/** Requests to one program over all attacks of a world. */
export interface RawClient extends AsyncDisposable {
  readonly program: RawProgram
  /** Returns the id of the request. */
  send(method: string, params: object): number
  request(method: string, params: object): Promise<Heard>
}

function openClient(program: RawProgram): RawClient {
  let last = 0
  const send: RawClient['send'] = (method, params) => {
    last += 1
    program.line(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }))
    return last
  }
  return {
    program,
    send,
    request(method, params) {
      const id = send(method, params)
      return program.until(`the answer to ${method}`, (heard) => isAnswer(heard, id))
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}

const isAnswer = (heard: Heard, id: number): boolean => heard.id === id && heard.method === undefined

/** `asks: false`: a client that cannot show questions. */
export async function openMcp(world: AttackWorld, { asks }: { readonly asks: boolean }): Promise<RawClient> {
  const { user, base: cwd, home } = world
  const client = openClient(startRaw({ user, env: world.environment(home), cwd, program: 'mcp-server' }))
  const capabilities = asks ? { elicitation: {} } : {}
  const clientInfo = { name: 'raw', version: '1' }
  await client.request('initialize', { protocolVersion: '2025-06-18', capabilities, clientInfo })
  client.program.line(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  return client
}

export interface McpTurn {
  /** Messages of the questions, in their order. */
  readonly asked: readonly string[]
  readonly result: unknown
}

interface McpCall {
  readonly attack: string
  readonly cwd: string
  /** Given to each of its questions. */
  readonly answer: 'accept' | 'decline'
}

/** Makes one `codex` call, named by its attack. */
export async function codexTurn({ send, program }: RawClient, { attack, cwd, answer }: McpCall): Promise<McpTurn> {
  const id = send('tools/call', { name: 'codex', arguments: { prompt: messageOf(attack), cwd } })
  const asked: Heard[] = []
  for (;;) {
    const next = await program.until(
      'a question or the end',
      (heard) => isAnswer(heard, id) || (isQuestionOf(heard, id) && !asked.includes(heard)),
    )
    if (isAnswer(next, id))
      return { asked: asked.map(({ params }) => String(params?.['message'])), result: next.result }
    asked.push(next)
    program.line(JSON.stringify({ jsonrpc: '2.0', id: next.id, result: { action: answer } }))
  }
}

const isQuestionOf = ({ method, params }: Heard, id: number): boolean =>
  method === 'elicitation/create' && params?.['codex_mcp_tool_call_id'] === String(id)

/** `flags`: of the owner of the machine; none by default. */
export async function openExec(world: AttackWorld, flags: readonly string[] = []): Promise<RawClient> {
  const { user, base: cwd, home } = world
  const client = openClient(startRaw({ user, env: world.environment(home), cwd, program: 'exec-server', flags }))
  await client.request('initialize', { clientName: 'raw' })
  client.program.line(JSON.stringify({ jsonrpc: '2.0', method: 'initialized' }))
  return client
}

export const uriOf = (path: string): string => String(pathToFileURL(path))
