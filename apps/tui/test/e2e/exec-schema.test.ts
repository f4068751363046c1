import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, tests: { type: 'array', items: { type: 'integer' } } },
  required: ['name'],
  additionalProperties: false,
}
const files = { 'schema.json': JSON.stringify(schema) }
const withSchema = ['--output-schema', 'schema.json']

describe.concurrent('an answer with a schema', () => {
  test.each([
    ['responses', { text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } } }],
    ['chat', { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } }],
  ])('is asked for in the words of the %s wire', async (wire, body) => {
    await using world = await execWorld({ files, steps: [{ text: '{"name":"a"}' }] })
    const wireApi = `model_providers.local.wire_api="${wire}"`
    const result = await world.exec([...withSchema, '-c', wireApi, '-o', 'answer.json', 'go'])
    expect(result).toMatchObject({ exitCode: 0, stdout: '{"name":"a"}\n' })
    expect(world.model.requests[0]?.body).toMatchObject(body)
    expect(readFileSync(world.path('answer.json'), 'utf8')).toBe('{"name":"a"}\n')
  })

  test('that does not satisfy it gets one more chance, and is told why', async () => {
    await using world = await execWorld({ files, steps: [{ text: '{"name":3}' }, { text: '{"name":"b"}' }] })
    const { result, events, end } = await world.execJson([...withSchema, 'go'])
    expect(result.exitCode).toBe(0)
    expect(end).toMatchObject({ answer: '{"name":"b"}', usage: { inputTokens: 20, outputTokens: 10 } })
    expect(events.filter(({ type }) => type === 'turn.ended')).toMatchObject([
      { answerProblem: '/name must be string' },
      { outcome: 'completed' },
    ])
    expect(world.model.requests[1]?.text).toContain('/name must be string')
    expect(world.model.requests[1]?.body).toMatchObject({ text: { format: { schema } } })
  })

  test.each([
    ['no JSON', 'Here you are.', 'it is not JSON'],
    ['too much', '{"name":"a","more":1}', 'the whole must NOT have additional properties'],
    ['a wrong number', '{"name":"a","tests":[1,2.5]}', '/tests/1 must be integer'],
  ])('that is twice %s ends the run with 6 and is written nowhere', async (_name, text, problem) => {
    await using world = await execWorld({ files, steps: [{ text }, { text }] })
    const { result, end } = await world.execJson([...withSchema, '-o', 'answer.json', 'go'])
    expect(result.exitCode).toBe(6)
    expect(end).toMatchObject({ exitCode: 6, answer: null, failure: { code: 'answerUnfit' } })
    expect(end.failure?.message).toContain(problem)
    expect(existsSync(world.path('answer.json'))).toBe(false)
    expect(world.model.pending()).toBe(0)
  })

  test('is held to it by the log: a conversation that was resumed has none', async () => {
    await using world = await execWorld({ files, steps: [{ text: '{"name":"a"}' }, { text: 'free' }] })
    await world.exec([...withSchema, 'go'])
    const { stdout } = await world.exec(['resume', '--last', 'and now freely'])
    expect(stdout).toBe('free\n')
    expect(world.model.requests[1]?.body).not.toHaveProperty('text')
  })
})

test.concurrent.each([
  ['is not JSON', '{"type": object}', /schema\.json cannot be used: Unexpected token 'o'/],
  ['is no object', '[]', /is an object/],
  ['has a type that is none', '{"type":"strng"}', /\/type must be/],
  ['has a wrong place deep inside', '{"properties":{"a":{"required":"x"}}}', /\/properties\/a\/required must be array/],
  ['points nowhere', '{"$ref":"#/$defs/x"}', /can't resolve reference/],
])('a schema that %s is a usage error, before anything is asked', async (_name, text, words) => {
  await using world = await execWorld({ files: { 'schema.json': text } })
  const { exitCode, stderr } = await world.exec([...withSchema, 'go'])
  expect(exitCode).toBe(2)
  expect(stderr).toMatch(words)
  expect(world.model.requests).toEqual([])
})
