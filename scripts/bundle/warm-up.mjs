import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { distFolder } from './places.mjs'

const timeLimitMs = 10_000

/**
 * Runs the built server through one turn with a command, so that its cache of compiled code has what a turn calls. A
 * failure is no fault of the build: then the first use makes the cache. Resolves to whether the turn ended.
 */
export async function warmUp() {
  const home = mkdtempSync(join(tmpdir(), 'parley-warm-up-'))
  const model = createServer(answer).listen(0, '127.0.0.1')
  try {
    await new Promise((resolve, reject) => model.once('listening', resolve).once('error', reject))
    return await runTurn(home, model.address().port)
  } catch {
    return false
  } finally {
    model.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Answers the first request with a call of a command, and the next one with a message. */
async function answer(request, response) {
  let body = ''
  for await (const chunk of request) body += chunk
  const item = body.includes('function_call_output')
    ? {
        id: 'm-1',
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Done', annotations: [] }],
      }
    : { id: 'f-1', type: 'function_call', call_id: 'c-1', name: 'shell', arguments: '{"command":"true"}' }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  const events = [
    { type: 'response.created', response: { id: 'r-1' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [], arguments: '' } },
    ...(item.content === undefined
      ? []
      : [{ type: 'response.output_text.delta', item_id: item.id, output_index: 0, content_index: 0, delta: 'Done' }]),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r-1', output: [item], usage } },
  ]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}

async function runTurn(home, port) {
  const config = `model = "warm-up"
model_provider = "here"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.here]
base_url = "http://127.0.0.1:${port}/v1"
wire_api = "responses"
`
  const [parleyHome, cwd] = [join(home, '.parley'), join(home, 'work')]
  for (const folder of [parleyHome, cwd]) mkdirSync(folder)
  writeFileSync(join(parleyHome, 'config.toml'), config)
  const env = { PATH: process.env.PATH, HOME: home, PARLEY_HOME: parleyHome, XDG_RUNTIME_DIR: home }
  const stdio = ['pipe', 'pipe', 'ignore']
  const server = spawn(process.execPath, [join(distFolder, 'server.mjs')], { env, cwd, stdio, timeout: timeLimitMs })
  const ended = new Promise((resolve) => server.once('close', resolve))
  const write = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const introduction = { protocolVersion: { min: 2, max: 2 }, clientInfo: { name: 'warm-up', version: '0' } }
  let hasEnded = false
  write({ id: 0, method: 'initialize', params: introduction })
  for await (const line of linesOf(server.stdout)) {
    const { id, result, params } = JSON.parse(line)
    if (id === 0) {
      write({ method: 'initialized' })
      write({ id: 1, method: 'conversation/create', params: { cwd } })
    } else if (id === 1) {
      const { conversationId } = result
      const input = [{ type: 'text', text: 'Go on' }]
      write({ id: 2, method: 'conversation/stream', params: { conversationId } })
      write({ id: 3, method: 'conversation/sendMessage', params: { conversationId, input } })
    } else if (params?.event?.type === 'turn.ended') {
      hasEnded = true
      server.stdin.end()
    }
  }
  await ended
  return hasEnded
}

async function* linesOf(stream) {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    yield* lines
  }
}
