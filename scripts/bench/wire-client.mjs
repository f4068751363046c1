import { createConnection } from 'node:net'

const eventType = /"event":\{"type":"([\w.]+)"/
const prefixBytes = 256
const timeLimitMs = 120_000

/** Creates a client over two streams, which reads lines as fast as they come. */
export function createWireClient(input, output) {
  const waiting = new Map()
  let watch = () => {}
  let nextId = 0
  readLines(input, (line) => {
    // Recognises an event by its first bytes, because parsing is not part of the measurement.
    const type = eventType.exec(line.toString('latin1', 0, prefixBytes))?.[1]
    if (type !== undefined) return watch(type, line)
    const message = JSON.parse(line)
    if (message.id === undefined) return
    const { resolve, reject } = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error === undefined) resolve(message.result)
    else reject(new Error(message.error.message))
  })
  const send = (message) => output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      waiting.set(++nextId, { resolve, reject })
      send({ id: nextId, method, params })
    })

  return {
    request,
    /** Accepts either version, because a comparison may use an older checkout; the measurement is the same for both. */
    async initialize() {
      await request('initialize', { protocolVersion: { min: 1, max: 2 }, clientInfo: { name: 'bench', version: '0' } })
      send({ method: 'initialized' })
    },
    /** Calls `look` with type and line of each event. Resolves to its first result that is not undefined. */
    until(look) {
      return new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error('the awaited event did not arrive')), timeLimitMs)
        watch = (type, line) => {
          const found = look(type, line)
          if (found === undefined) return
          clearTimeout(limit)
          resolve(found)
        }
      })
    },
  }
}

/** Creates a client on the socket of a running server. */
export async function attachTo(path) {
  const socket = createConnection(path)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const client = createWireClient(socket, socket)
  await client.initialize()
  return {
    ...client,
    /** Stops reading from the socket until `resume`. */
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    [Symbol.dispose]: () => socket.destroy(),
  }
}

const requestEveryMs = 5

/** Returns the time from an event to its arrival, in ms. */
export function lagOf(line) {
  const at = Number(/"at":(\d+)/.exec(line.toString('latin1', 0, prefixBytes))?.[1])
  return performance.timeOrigin + performance.now() - at
}

/**
 * Sends small requests one after the other until `stop`, which resolves to the longest wait for an answer in ms. A method
 * that is not known is answered at once, with an error.
 */
export function longestWait(client, method = 'bench/unknown') {
  let isOver = false
  let longestMs = 0
  const asking = (async () => {
    while (!isOver) {
      const askedMs = performance.now()
      await client.request(method, {}).catch(() => undefined)
      longestMs = Math.max(longestMs, performance.now() - askedMs)
      await new Promise((resolve) => setTimeout(resolve, requestEveryMs))
    }
  })()
  return {
    async stop() {
      isOver = true
      await asking
      return longestMs
    },
  }
}

/** Calls `take` with each line of a stream, as bytes. */
export function readLines(stream, take) {
  let held = []
  stream.on('data', (chunk) => {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const last = chunk.subarray(from, end)
      take(held.length === 0 ? last : Buffer.concat([...held, last]))
      held = []
      from = end + 1
    }
    if (from < chunk.length) held.push(chunk.subarray(from))
  })
}
