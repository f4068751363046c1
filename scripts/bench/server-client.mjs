import { spawn } from 'node:child_process'
import { nowMs } from './clock.mjs'
import { createWireClient } from './wire-client.mjs'

/** Starts a server with one client, which reads lines as fast as they come. */
export function startServer(program, place, more = []) {
  const [command, ...args] = [...program.server, ...more]
  const spawnedMs = nowMs()
  const child = spawn(command, args, { env: place.env, cwd: place.workspace, stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const client = createWireClient(child.stdout, child.stdin)
  const { request } = client

  return {
    ...client,
    pid: child.pid,
    spawnedMs,
    /** Creates a conversation in the workspace, and streams it. */
    async create() {
      const { conversationId } = await request('conversation/create', { cwd: place.workspace })
      await request('conversation/stream', { conversationId })
      return conversationId
    },
    /** Sends a message. Resolves at the end of its turn to the times of sending, first delta and end. */
    async turn(conversationId, text) {
      let firstDeltaMs = null
      const ended = client.until((type) => {
        if (type === 'item.delta') firstDeltaMs ??= nowMs()
        return type === 'turn.ended' ? true : undefined
      })
      const sentMs = nowMs()
      await request('conversation/sendMessage', { conversationId, input: [{ type: 'text', text }] })
      await ended
      return { sentMs, firstDeltaMs, endedMs: nowMs() }
    },
    /** Resolves to the socket that other clients connect to. */
    async socket() {
      return (await request('server/diagnostics', {})).addresses[0]
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}

/** Starts a server with one client, and initializes that. */
export async function openServer(program, place, more) {
  const server = startServer(program, place, more)
  await server.initialize()
  return server
}
