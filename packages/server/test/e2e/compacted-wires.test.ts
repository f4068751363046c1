import { readFileSync, writeFileSync } from 'node:fs'
import { type RecordedRequest, type ScriptedStep, startModelServer, type Wire } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { processPlace } from './support/spawned-server.ts'

const wires = [
  ['responses', 'gpt-5'],
  ['chat', 'qwen3'],
  ['anthropic', 'claude-sonnet-5'],
  ['gemini', 'gemini-3-pro-preview'],
] as const

const long = 'word '.repeat(3000)
const looks = (...paths: string[]): ScriptedStep => ({
  reasoning: 'hm',
  text: 'Looking.',
  calls: paths.map((path) => ({ name: 'read_file', arguments: { path } })),
})
const tooLong: ScriptedStep = {
  status: 400,
  body: { error: { message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' } },
}

/** Entry of a request in the order of its wire. */
type Said = { readonly by: 'user' | 'model' } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string }
  | { readonly kind: 'result'; readonly id: string }
)

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as the four providers define them
type Any = any

const readers: Readonly<Record<Wire, (body: Any) => readonly Said[]>> = {
  responses: ({ input }) =>
    input.flatMap((item: Any): Said[] => {
      if (item.type === 'function_call') return [{ by: 'model', kind: 'call', id: item.call_id }]
      if (item.type === 'function_call_output') return [{ by: 'user', kind: 'result', id: item.call_id }]
      if (item.type === 'reasoning') return []
      return textsOf(item.role, item.content)
    }),
  chat: ({ messages }) =>
    messages.slice(1).flatMap((message: Any): Said[] => {
      if (message.role === 'tool') return [{ by: 'user', kind: 'result', id: message.tool_call_id }]
      const calls = (message.tool_calls ?? []).map(({ id }: Any): Said => ({ by: 'model', kind: 'call', id }))
      const content = typeof message.content === 'string' ? [{ text: message.content }] : (message.content ?? [])
      return [...textsOf(message.role, content), ...calls]
    }),
  anthropic: ({ messages }) =>
    messages.flatMap(({ role, content }: Any, index: number): Said[] => {
      expect(role).toBe(index % 2 === 0 ? 'user' : 'assistant')
      return content.flatMap((block: Any): Said[] => {
        if (block.type === 'tool_use') return [{ by: 'model', kind: 'call', id: block.id }]
        if (block.type === 'tool_result') return [{ by: 'user', kind: 'result', id: block.tool_use_id }]
        return block.type === 'text' ? textsOf(role, [block]) : []
      })
    }),
  gemini: ({ contents }) =>
    contents.flatMap(({ role, parts }: Any): Said[] => {
      expect(parts).not.toHaveLength(0)
      return parts.flatMap((part: Any): Said[] => {
        if (part.functionCall) return [{ by: 'model', kind: 'call', id: part.functionCall.name }]
        if (part.functionResponse) return [{ by: 'user', kind: 'result', id: part.functionResponse.name }]
        return part.thought === true ? [] : textsOf(role, [part])
      })
    }),
}

function textsOf(role: string, content: readonly { readonly text?: string }[]): Said[] {
  const by = role === 'user' ? 'user' : 'model'
  return content.flatMap(({ text }): Said[] => (text === undefined ? [] : [{ by, kind: 'text', text }]))
}

/** Reads a request; fails where its provider would refuse it: a text without words, a call without its result. */
function readValid({ wire, body }: RecordedRequest): readonly Said[] {
  const said = readers[wire](body)
  expect(said[0]?.by).toBe('user')
  const open: string[] = []
  for (const one of said) {
    if (one.kind === 'call') open.push(one.id)
    else if (one.kind === 'result') expect(open.splice(open.indexOf(one.id), 1)).toEqual([one.id])
    else {
      expect(one.text.trim()).not.toBe('')
      // Between a call and its result stands nothing.
      expect(open).toEqual([])
    }
  }
  expect(open).toEqual([])
  expect(said.at(-1)?.by).toBe('user')
  return said
}

const marks = /<environment>|\[Carried[^\]]*\]\nm-\w+|\[Summary|\[Notes|Looking|Empty|after|m-\w+/g

/** Returns who says what, with what is said in a row by one side together, as some wires send it. */
function lines(said: readonly Said[]): string[] {
  const sides: { by: string; words: string[] }[] = []
  for (const one of said) {
    if (sides.at(-1)?.by !== one.by) sides.push({ by: one.by, words: [] })
    const words = one.kind === 'text' ? one.text.match(marks) : [one.kind]
    sides.at(-1)?.words.push(...(words ?? []).map((word) => word.replace(/^\[Carried.*\n/s, 'carried ')))
  }
  return sides.map(({ by, words }) => `${by}: ${words.join(', ')}`)
}

describe.each(wires)('a compacted conversation on the %s wire', { timeout: 60_000 }, (wire, modelName) => {
  it('sends requests that its provider takes: the summary, what follows it, a kept round, and after an undo', async () => {
    const steps: ScriptedStep[] = [looks('a.txt', 'b.txt'), { text: long }, { text: '## Goal\nTidy.' }, { text: 'ok' }]
    steps.push(looks('a.txt'), tooLong, { text: 'Half way.' }, { text: 'done' }, { text: 'Empty next.' })
    steps.push({ text: ' ' }, { text: ' ' }, { text: 'after' }, { text: 'back' })
    await using model = await startModelServer(steps)
    await using place = processPlace(model.url)
    const config = `${place.root}/.parley/config.toml`
    const text = readFileSync(config, 'utf8').replace('"m1"', `"${modelName}"`)
    writeFileSync(config, text.replace('wire_api = "responses"', `wire_api = "${wire}"`))
    place.write('a.txt', 'alpha\n')
    place.write('b.txt', 'beta\n')
    const client = await place.spawn().connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const watched = await client.watch(conversationId)
    const send = async (message: string) => {
      await watched.send(message)
      await watched.turnEnded()
    }
    const compact = async () => {
      await client.request('conversation/compact', { conversationId })
      await watched.turnEnded()
    }
    await send('m-one')
    await compact()
    await send('m-two')
    await send('m-three')
    await send('m-four')
    await compact()
    await send('m-five')
    await client.request('conversation/compact/undo', { conversationId })
    await send('m-six')
    expect(model.pending()).toBe(0)
    expect(model.requests.map(({ wire: spoken }) => spoken)).toEqual(model.requests.map(() => wire))
    const said = model.requests.map(readValid)
    // The first request after the first compaction.
    expect(lines(said[3] ?? [])).toEqual([
      'user: <environment>, carried m-one',
      'model: [Summary',
      'user: [Notes, m-two',
    ])
    // The request that is repeated after one that was too long, with the round that the model has not read yet.
    expect(lines(said[7] ?? [])).toEqual([
      'user: <environment>, carried m-one, carried m-two, carried m-three',
      'model: [Summary',
      'user: [Notes',
      'model: Looking, call',
      'user: result',
    ])
    // Without a summary all that is the user's follows each other.
    expect(lines(said[11] ?? [])).toEqual([
      'user: <environment>, carried m-one, carried m-two, carried m-three, carried m-four, [Notes, m-five',
    ])
    expect(lines(said[12] ?? []).slice(-4)).toEqual(['model: Empty', 'user: m-five', 'model: after', 'user: m-six'])
  })
})
