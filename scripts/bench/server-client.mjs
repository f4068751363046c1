import { spawn } from 'node:child_process'
import { nowMs } from './clock.mjs'

/** Bytes by which a delta is known without parsing its line. */
const deltaMark = Buffer.from('"event":{"type":"item.delta"')
const markReach = 256
const timeLimitMs = 120_000

/** A server with one client, that reads its lines as fast as they come. */
export function startServer(program, place) {
  const [command, ...args] = program.server
  const spawnedMs = nowMs()
  const child = spawn(command, args, { env: place.env, cwd: place.workspace, stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const waiting = new Map()
  let watch = () => {}
  let nextId = 0
  readLines(child.stdout, (line) => {
    if (line.subarray(0, markReach).includes(deltaMark)) return watch('item.delta', null)
    const message = JSON.parse(line)
    if (message.id === undefined) return watch(message.params?.event?.type, message.params)
    const { resolve, reject } = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error === undefined) resolve(message.result)
    else reject(new Error(message.error.message))
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      waiting.set(++nextId, { resolve, reject })
      send({ id: nextId, method, params })
    })

  return {
    pid: child.pid,
    spawnedMs,
    request,
    async initialize() {
      await request('initialize', { protocolVersion: { min: 1, max: 1 }, clientInfo: { name: 'bench', version: '0' } })
      send({ method: 'initialized' })
    },
    async open(method, params) {
      const { conversationId } = await request(method, params)
      await request('conversation/stream', { conversationId })
      return conversationId
    },
    /** Sends a message and resolves when its turn has ended, with when its first delta came. */
    async turn(conversationId, text) {
      let firstDeltaMs = null
      const ended = new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error('a turn did not end')), timeLimitMs).unref()
        watch = (type) => {
          if (type === 'item.delta') firstDeltaMs ??= nowMs()
          if (type === 'turn.ended') resolve()
        }
      })
      const sentMs = nowMs()
      await request('conversation/sendMessage', { conversationId, input: [{ type: 'text', text }] })
      await ended
      return { sentMs, firstDeltaMs, endedMs: nowMs() }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}

function readLines(stream, take) {
  let rest = Buffer.alloc(0)
  stream.on('data', (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      take(bytes.subarray(from, end))
      from = end + 1
    }
    rest = bytes.subarray(from)
  })
}
