import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { cliPath } from '@parley/testkit'
import type { World } from '../mcp-server/world.ts'

/** The client of the SDK with everything that it was told, connected to a `parley acp` or another agent of its own. */
export interface Editor extends AsyncDisposable {
  readonly agent: ClientContext
  readonly updates: readonly SessionUpdate[]
  readonly questions: readonly RequestPermissionRequest[]
  /** Joined text of all chunks of a kind. */
  said(kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk'): string
  open(): Promise<string>
}

type Answering = (question: RequestPermissionRequest) => RequestPermissionResponse | Promise<RequestPermissionResponse>

export const choose = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: 'selected', optionId } })

export function startAcp({ env, cwd }: World): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [cliPath, 'acp'], { env, cwd, stdio: 'pipe' })
}

export async function startEditor(
  world: World,
  answer: Answering = () => choose('approved'),
  start = startAcp,
): Promise<Editor> {
  const child = start(world)
  const updates: SessionUpdate[] = []
  const questions: RequestPermissionRequest[] = []
  const connection = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      questions.push(params)
      return answer(params)
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)))
  const { agent } = connection
  await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} })
  return {
    agent,
    updates,
    questions,
    said: (kind) =>
      updates
        .map((update) => (update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : ''))
        .join(''),
    open: async () => {
      const { sessionId } = await agent.request(methods.agent.session.new, { cwd: world.cwd, mcpServers: [] })
      return sessionId
    },
    async [Symbol.asyncDispose]() {
      const exited = child.exitCode === null ? once(child, 'exit') : null
      child.stdin.end()
      await exited
      connection.close()
      await connection.closed.catch(() => undefined)
    },
  }
}
