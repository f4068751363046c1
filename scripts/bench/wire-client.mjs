import { createConnection } from 'node:net'

/** Bytes by which a delta is known without parsing its line. */
const deltaMark = Buffer.from('"event":{"type":"item.delta"')
const markReach = 256
const timeLimitMs = 120_000

/** A client over two streams, that reads its lines as fast as they come. */
export function createWireClient(input, output) {
  const waiting = new Map()
  let watch = () => {}
  let nextId = 0
  readLines(input, (line) => {
    if (line.subarray(0, markReach).includes(deltaMark)) return watch('item.delta', null, line)
    const message = JSON.parse(line)
    if (message.id === undefined) return watch(message.params?.event?.type, message.params, line)
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
    async initialize() {
      await request('initialize', { protocolVersion: { min: 1, max: 1 }, clientInfo: { name: 'bench', version: '0' } })
      send({ method: 'initialized' })
    },
    /** Resolves once `look` does not answer undefined; it is called with type, params (of a delta: null) and line. */
    until(look) {
      return new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error('what was waited for did not come')), timeLimitMs)
        watch = (type, params, line) => {
          const found = look(type, params, line)
          if (found === undefined) return
          clearTimeout(limit)
          resolve(found)
        }
      })
    },
  }
}

/** One over the socket of a server that runs. */
export async function attachTo(path) {
  const socket = createConnection(path)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const client = createWireClient(socket, socket)
  await client.initialize()
  return { ...client, [Symbol.dispose]: () => socket.destroy() }
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
