import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

const events = (...all: readonly object[]) => all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const block = (index: number, type: string, field: string, text: string) => [
  { type: 'content_block_start', index, content_block: { type, [field]: '' } },
  { type: 'content_block_delta', index, delta: { type: `${field}_delta`, [field]: text } },
  { type: 'content_block_stop', index },
]
const choice = (delta: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: reason }],
})
const parts = (...all: readonly object[]) => ({ candidates: [{ content: { role: 'model', parts: all } }] })
const message = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
const output = [
  message('First.'),
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
  message('Second.'),
]

/** An answer of two texts with reasoning between them, on each wire. */
const answers = {
  responses: events(
    ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: { status: 'completed', output, usage: {} } },
  ),
  chat: events(
    choice({ content: 'First.' }),
    choice({ reasoning_content: 'hm' }),
    choice({ content: 'Second.' }),
    choice({}, 'stop'),
  ),
  anthropic: events(
    { type: 'message_start', message: { usage: {} } },
    ...block(0, 'text', 'text', 'First.'),
    ...block(1, 'thinking', 'thinking', 'hm'),
    ...block(2, 'text', 'text', 'Second.'),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ),
  gemini: events(parts({ text: 'First.' }), parts({ text: 'hm', thought: true }), parts({ text: 'Second.' }), {
    candidates: [{ finishReason: 'STOP' }],
  }),
}
const whole = 'First.\n\nSecond.'

describe.concurrent.each(Object.entries(answers))('an answer of several texts on the %s wire', (wire, raw) => {
  const world = async () => {
    const place = await execWorld({ steps: [{ raw }] })
    await place.writeConfig(
      `model = "m"\nmodel_provider = "local"\n[model_providers.local]\nbase_url = "${place.model.url}"\nwire_api = "${wire}"\n`,
    )
    return place
  }

  test('is one in the last line and in the file of -o', async () => {
    await using place = await world()
    const { result, end } = await place.execJson(['-o', 'answer.txt', 'go'])
    expect(result.exitCode, result.stdout + result.stderr).toBe(0)
    expect(end.answer).toBe(whole)
    expect(await readFile(place.path('answer.txt'), 'utf8')).toBe(`${whole}\n`)
  })

  test('is one on stdout', async () => {
    await using place = await world()
    const { stdout } = await place.exec(['go'])
    expect(stdout).toBe(`${whole}\n`)
  })

  test('is the one message of callers of the Codex SDK', async () => {
    await using place = await world()
    const result = await place.exec(['--experimental-json', 'go'])
    const messages = result
      .lines()
      .map((line) => JSON.parse(line))
      .filter(({ item }) => item?.type === 'agent_message')
    expect(messages.map(({ type, item }) => [type, item.text])).toEqual([['item.completed', whole]])
  })
})
