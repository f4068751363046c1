import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ModelEntry, ModelRequest } from '../../../src/port/model-client.ts'
import { anthropicWire } from '../../../src/wires/anthropic/wire.ts'
import { requestOf, response, result, textWriter, user } from '../../support/requests.ts'

interface Block {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly cache_control?: object
}
interface Body {
  readonly system?: readonly Block[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[]
  readonly [field: string]: unknown
}

const write = textWriter(anthropicWire.createWriter('own'))

function bodyOf(entries: readonly ModelEntry[], more: Partial<ModelRequest> = {}): Body {
  return JSON.parse(write(requestOf(entries, { model: 'claude-sonnet-5', ...more })))
}

function blocksOf({ messages }: Body): readonly Block[] {
  return messages.flatMap(({ content }) => content)
}

const callOf = (id: string) => ({ callId: id, name: 'shell', arguments: '{"command":"ls"}' })
const answer = (...ids: readonly string[]) =>
  response({ adapter: 'own', parts: ids.map((id) => ({ type: 'tool_use', id, name: 'shell', input: {} })) })

/** Returns one turn of `count` calls, each answered in a response of its own. */
function turnOf(count: number, parallel = 1): readonly ModelEntry[] {
  const rounds = Array.from({ length: count }, (_, round) =>
    Array.from({ length: parallel }, (_, nth) => `c${round}_${nth}`),
  )
  return [user('go'), ...rounds.flatMap((ids) => [answer(...ids), ...ids.map((id) => result(id))])]
}

describe('the Messages request', () => {
  it('joins parallel results and the message after them in one message of the user', () => {
    const entries = [user('go'), answer('a', 'b'), result('a'), result('b', 'no', true), user('more'), answer('c')]
    expect(bodyOf(entries).messages.map(({ role, content }) => [role, ...content.map(({ type }) => type)])).toEqual([
      ['user', 'text'],
      ['assistant', 'tool_use', 'tool_use'],
      ['user', 'tool_result', 'tool_result', 'text'],
      ['assistant', 'tool_use'],
    ])
    expect(blocksOf(bodyOf(entries))[4]).toMatchObject({ tool_use_id: 'b', content: 'no', is_error: true })
  })

  it('sends reasoning back unchanged, and that of another wire not at all', () => {
    const thinking = { type: 'thinking', thinking: 'Hm', signature: 's' }
    const own = response({ adapter: 'own', parts: [thinking, { type: 'text', text: 'Hi' }] })
    expect(bodyOf([user('a'), own]).messages[1]?.content).toEqual([thinking, { type: 'text', text: 'Hi' }])
    const other = response({ adapter: 'other', parts: [{ type: 'reasoning' }], text: 'Hi', calls: [callOf('fc|1.2')] })
    expect(bodyOf([user('a'), other, result('fc|1.2')]).messages.slice(1)).toMatchObject([
      {
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'tool_use', id: 'fc_1_2', input: { command: 'ls' } },
        ],
      },
      { content: [{ type: 'tool_result', tool_use_id: 'fc_1_2' }] },
    ])
  })

  it('sends images, and leaves out empty text, which the API rejects', () => {
    const image = { type: 'image', mediaType: 'image/png', base64: 'aGk=' } as const
    const entry: ModelEntry = { kind: 'user', content: [{ type: 'text', text: '' }, image] }
    expect(blocksOf(bodyOf([entry]))).toMatchObject([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
    ])
  })

  it('has at most four marks for the cache, for any conversation', () => {
    const anyTurns = fc.array(fc.record({ calls: fc.nat(4), parallel: fc.integer({ min: 1, max: 15 }) }), {
      maxLength: 4,
    })
    fc.assert(
      fc.property(anyTurns, (turns) => {
        const entries = turns.flatMap(({ calls, parallel }) => turnOf(calls, parallel))
        const body = bodyOf(entries)
        const marks = [...(body.system ?? []), ...blocksOf(body)].filter((block) => block.cache_control !== undefined)
        expect(marks.length).toBeLessThanOrEqual(4)
        for (const { type } of marks) expect(['text', 'tool_result', 'image']).toContain(type)
      }),
    )
  })

  it('marks the ends of this request and of the two before it, and no other', () => {
    const marked = blocksOf(bodyOf(turnOf(5))).filter((block) => block.cache_control !== undefined)
    expect(marked.map(({ tool_use_id }) => tool_use_id)).toEqual(['c2_0', 'c3_0', 'c4_0'])
  })

  it('marks the end of the request before, so that only what is new is read anew, however many calls came at once', () => {
    for (const parallel of [1, 12, 40]) {
      for (let count = 1; count <= 50; count += 7) {
        const before = blocksOf(bodyOf(turnOf(count - 1, parallel)))
        const now = blocksOf(bodyOf(turnOf(count, parallel)))
        expect(now[before.length - 1]?.cache_control).toEqual({ type: 'ephemeral' })
        expect(now.at(-1)?.cache_control).toEqual({ type: 'ephemeral' })
      }
    }
  })

  it('is the same but for the marks when the conversation grows', () => {
    const unmarked = (entries: readonly ModelEntry[]) =>
      JSON.stringify(bodyOf(entries).messages, (key, value: unknown) => (key === 'cache_control' ? undefined : value))
    const shorter = unmarked(turnOf(20)).slice(0, -1)
    expect(unmarked(turnOf(21)).slice(0, shorter.length)).toBe(shorter)
  })

  it.each([
    ['claude-sonnet-5', undefined, { thinking: { type: 'adaptive', display: 'summarized' }, max_tokens: 128_000 }],
    ['claude-opus-4-8', 'high', { output_config: { effort: 'high' } }],
    ['claude-opus-4-8', 'none', { thinking: { type: 'disabled' } }],
    ['claude-haiku-4-5', 'low', { thinking: { type: 'enabled', budget_tokens: 6_400 }, max_tokens: 64_000 }],
    ['kimi-k3', 'high', { max_tokens: 16_384 }],
  ])('sets limit and thinking of %s with effort %s', (model, effort, expected) => {
    const more = effort === undefined ? {} : { effort }
    expect(bodyOf([user('a')], { model, ...more })).toMatchObject(expected)
  })

  it('sends no thinking to a model that has none or was given no effort', () => {
    for (const model of ['claude-haiku-4-5', 'kimi-k3'])
      expect(bodyOf([user('a')], { model })['thinking']).toBeUndefined()
  })

  it('sends no thinking where the output has no room for the least of it', () => {
    const more = { model: 'claude-haiku-4-5', effort: 'high', maxOutputTokens: 1_000 }
    expect(bodyOf([user('a')], more)).toMatchObject({ max_tokens: 1_000 })
    expect(bodyOf([user('a')], more)['thinking']).toBeUndefined()
  })

  it('holds answers to a schema in the words that the API takes', () => {
    const outputSchema = {
      type: 'object',
      properties: { pattern: { type: 'string', pattern: '^a' }, size: { type: 'integer', minimum: 1, enum: [1, 2] } },
      required: ['pattern'],
    }
    expect(bodyOf([user('a')], { outputSchema })['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { pattern: { type: 'string' }, size: { type: 'integer', enum: [1, 2] } },
          required: ['pattern'],
        },
      },
    })
  })
})
