import { describe, expect, test } from 'vitest'
import { type ModelServer, type ScriptedStep, startModelServer } from '../src/index.ts'

const ask = (server: ModelServer, path = 'responses', signal?: AbortSignal) =>
  fetch(`${server.url}/${path}`, { method: 'POST', body: '{"model":"m"}', ...(signal ? { signal } : {}) })

const events = (body: string): Record<string, unknown>[] =>
  [...body.matchAll(/^data: (\{.*)$/gm)].map((match) => JSON.parse(match[1] ?? '{}'))

async function answerOf(step: ScriptedStep, path?: string): Promise<Record<string, unknown>[]> {
  await using server = await startModelServer([step])
  return events(await (await ask(server, path)).text())
}

describe('an answer on the Responses wire', () => {
  test('streams the text in the requested number of deltas and ends completed', async () => {
    const seen = await answerOf({ text: 'abcdef', chunks: 3 })
    const deltas = seen.filter((event) => event['type'] === 'response.output_text.delta')
    expect(deltas.map((event) => event['delta'])).toEqual(['ab', 'cd', 'ef'])
    expect(seen.at(-1)).toMatchObject({ type: 'response.completed', response: { usage: { total_tokens: 15 } } })
  })

  test('carries reasoning before text before calls, each at its own index', async () => {
    const seen = await answerOf({ reasoning: 'why', text: 'so', calls: [{ name: 'shell', arguments: { a: 1 } }] })
    const done = seen.filter((event) => event['type'] === 'response.output_item.done')
    expect(done).toMatchObject([
      { output_index: 0, item: { type: 'reasoning', summary: [{ text: 'why' }] } },
      { output_index: 1, item: { type: 'message', content: [{ text: 'so' }] } },
      { output_index: 2, item: { type: 'function_call', call_id: 'call_1_1', arguments: '{"a":1}' } },
    ])
  })
})

test('an answer on the chat wire ends with its finish reason, its usage and the end mark', async () => {
  await using server = await startModelServer([{ text: 'hi', calls: [{ name: 'shell', arguments: '{bad' }] }])
  const body = await (await ask(server, 'chat/completions')).text()
  expect(events(body).at(-2)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
  expect(events(body).at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10 } })
  expect(body).toMatch(/\{bad[\s\S]*data: \[DONE\]\n\n$/)
})

test('every request is recorded and can be awaited before and after it arrives', async () => {
  await using server = await startModelServer()
  server.script([{ text: '1' }, (request) => ({ text: `number ${request.number}` })])
  const early = server.nextRequest()
  await (await ask(server)).text()
  const second = await (await ask(server, 'chat/completions')).text()
  expect(await early).toMatchObject({ number: 1, wire: 'responses', body: { model: 'm' } })
  expect(await server.nextRequest()).toMatchObject({ number: 2, wire: 'chat' })
  expect(second).toContain('number 2')
  expect(server.requests).toHaveLength(2)
})

test('a status step answers with its headers and body', async () => {
  await using server = await startModelServer([
    { status: 429, headers: { 'retry-after': '2' }, body: { slow: 'down' } },
  ])
  const response = await ask(server)
  expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
    429,
    '2',
    { slow: 'down' },
  ])
})

test('a request beyond the script gets status 400 with the reason', async () => {
  await using server = await startModelServer()
  const response = await ask(server)
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('no step for request 1')
})

test('a gate holds the answer until it opens', async () => {
  const gate = Promise.withResolvers<void>()
  await using server = await startModelServer([{ text: 'late', gate: gate.promise }])
  let answered = false
  const answer = ask(server).then((response) => {
    answered = true
    return response.text()
  })
  await server.nextRequest()
  expect(answered).toBe(false)
  gate.resolve()
  expect(await answer).toContain('late')
})

test('a cut answer delivers exactly so many bytes and then a reset', async () => {
  await using server = await startModelServer([{ text: 'long enough', cutAfterBytes: 100 }])
  const response = await ask(server)
  let received = 0
  const reading = (async () => {
    for await (const piece of response.body ?? []) received += piece.length
  })()
  await expect(reading).rejects.toThrow('terminated')
  expect(received).toBe(100)
})

test('a request to a hanging step reports that its client disconnected', async () => {
  await using server = await startModelServer([{ text: 'half', hang: 'mid' }, { hang: 'headers' }])
  for (const phase of ['mid', 'headers']) {
    const control = new AbortController()
    const answer = ask(server, 'responses', control.signal).then((response) => response.text())
    const request = await server.nextRequest()
    control.abort()
    await expect(answer, phase).rejects.toThrow('aborted')
    await request.dropped
  }
})

test('raw bytes pass unchanged', async () => {
  await using server = await startModelServer([{ raw: 'data: {"cut' }])
  expect(await (await ask(server)).text()).toBe('data: {"cut')
})
