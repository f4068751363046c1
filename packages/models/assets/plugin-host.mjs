/**
 * Runs an AI SDK provider package in a process of its own. Lines of JSON on stdin: {type: "open", …} once, then
 * {type: "call", id, model, options}, {type: "list", id} and {type: "cancel", id}. Lines on stdout: {type: "ready"} or {type: "failed"}, then
 * {id, type: "part" | "end" | "error", …}. Ends when stdin ends.
 */
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

// A package that prints must not write between the lines.
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr)

// A package can still write to the pipe itself: the line break before a message parts it from such words.
/** Sends a message. Returns a promise where the reader is behind, which resolves when it has caught up. */
const send = (message) =>
  write(`\n${JSON.stringify(message)}\n`) || new Promise((resolve) => process.stdout.once('drain', resolve))
process.stdout.setMaxListeners(0)
const running = new Map()
let provider = null

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() !== '') take(JSON.parse(line))
}
process.exit(0)

function take(message) {
  if (message.type === 'open') void open(message)
  else if (message.type === 'cancel') running.get(message.id)?.abort()
  else if (message.type === 'call') void call(message)
  else if (message.type === 'list') void list(message)
}

async function open({ entry, packageName, factory, settings }) {
  try {
    const exports = await import(pathToFileURL(entry).href)
    provider = factoryIn(exports, packageName, factory)(settings)
    send({ type: 'ready' })
  } catch (error) {
    send({ type: 'failed', error: describe(error) })
  }
}

/** Returns the function that makes the provider: the named one, the one called like the package, or the only one. */
function factoryIn(exports, packageName, wanted) {
  const names = Object.keys(exports).filter((name) => typeof exports[name] === 'function' && /^create[A-Z]/.test(name))
  const plain = (text) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const like = plain(packageName.split('/').at(-1) ?? '')
  const name = wanted ?? names.find((known) => plain(known.slice(6)) === like) ?? names[0]
  if (name !== undefined && typeof exports[name] === 'function') return exports[name]
  const found = names.length === 0 ? 'it exports no create… function' : `it exports ${names.join(', ')}`
  throw new Error(`${packageName} has no ${name ?? 'create…'} to make a provider with: ${found}`)
}

async function call({ id, model: name, options }) {
  const stop = new AbortController()
  running.set(id, stop)
  try {
    const model = typeof provider.languageModel === 'function' ? provider.languageModel(name) : provider(name)
    const { stream, response } = await model.doStream({ ...fitted(options, model), abortSignal: stop.signal })
    // A package finds no events in a page, and says that the model stopped.
    if (/^text\/html/i.test(response?.headers?.['content-type'] ?? '')) {
      stop.abort()
      throw Object.assign(new Error('The answer is a page.'), { responseHeaders: response.headers })
    }
    for await (const part of stream) await send({ id, type: 'part', part: sendable(part) })
    send({ id, type: 'end' })
  } catch (error) {
    send({ id, type: 'error', error: describe(error) })
  } finally {
    running.delete(id)
  }
}

/** Sends the models that the provider lists; null for the many packages that have no list. */
async function list({ id }) {
  try {
    const found = await provider.getAvailableModels?.()
    send({ id, type: 'part', part: { models: (Array.isArray(found) ? found : found?.models) ?? null } })
    send({ id, type: 'end' })
  } catch (error) {
    send({ id, type: 'error', error: describe(error) })
  }
}

/** Fits the request to the version of the interface: files are wrapped and effort is an option of its own since v4. */
function fitted({ reasoning, ...options }, { specificationVersion }) {
  if (specificationVersion !== 'v4') return options
  const prompt = options.prompt.map((message) =>
    Array.isArray(message.content) ? { ...message, content: message.content.map(wrapped) } : message,
  )
  return { ...options, prompt, ...(reasoning === undefined ? {} : { reasoning }) }
}

function wrapped(part) {
  return part.type === 'file' ? { ...part, data: { type: 'data', data: part.data } } : part
}

/** An error of a stream keeps what explains it; its stack and the request stay here. Bytes of a file become base64. */
function sendable(part) {
  if (part.type === 'file') return { ...part, data: base64Of(part.data?.data ?? part.data) }
  return part.type === 'error' ? { type: 'error', error: describe(part.error) } : part
}

function base64Of(data) {
  return data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data
}

function describe(error) {
  const { name = 'Error', message = String(error), statusCode, responseHeaders, responseBody, cause } = Object(error)
  const code = cause?.code ?? cause?.cause?.code ?? error?.code
  return {
    name: String(name),
    message: typeof error === 'string' ? error : String(message),
    ...(typeof statusCode === 'number' ? { status: statusCode } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(responseHeaders === undefined ? {} : { headers: responseHeaders }),
    ...(typeof responseBody === 'string' ? { body: responseBody.slice(0, 64 * 1024) } : {}),
  }
}
