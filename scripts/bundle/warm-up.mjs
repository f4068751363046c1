import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInWindow, runScripted, runServer } from './warm-up-turns.mjs'

/**
 * Runs the built programs through one turn with a command, so that their caches of compiled code include the functions
 * of a turn. A failure is no fault of the build: then the first use makes the cache. Resolves to whether each turn
 * ended.
 */
export async function warmUp() {
  const home = mkdtempSync(join(tmpdir(), 'parley-warm-up-'))
  const model = createServer(answer).listen(0, '127.0.0.1')
  try {
    await new Promise((resolve, reject) => model.once('listening', resolve).once('error', reject))
    const place = makePlace(home, model.address().port)
    // The server first, which both others start.
    const ended = [await runServer(place), ...(await Promise.all([runScripted(place), runInWindow(place)]))]
    return ended.every(Boolean)
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

function makePlace(home, port) {
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
  return { env, cwd }
}
