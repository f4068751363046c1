import { refusalOf, smallPng } from '@parley/testkit'
import { wellFormedJson } from '@parley/text'
import { describe, expect, it } from 'vitest'
import type { ModelCall, ModelEntry } from '../../../src/port/model-client.ts'
import type { HttpWire } from '../../../src/port/wire.ts'
import { anthropicWire } from '../../../src/wires/anthropic/wire.ts'
import { chatWire } from '../../../src/wires/chat/wire.ts'
import { geminiWire } from '../../../src/wires/gemini/wire.ts'
import { writeCall } from '../../../src/wires/plugin/write-call.ts'
import { responsesWire } from '../../../src/wires/responses/wire.ts'
import { type OwnWire, ownAnswer } from '../../support/own-answer.ts'
import { requestOf, response, result, SHELL, textWriter, user } from '../../support/requests.ts'

const overHttp =
  (wire: HttpWire) =>
  (entries: readonly ModelEntry[], more: object = {}) =>
    textWriter(wire.createWriter(`${wire.version}:mine`))(requestOf(entries, { model: 'gpt-5', ...more }))

/** Writers of all wires; a package gets its call as a line of JSON. */
const writers: Readonly<Record<OwnWire, (entries: readonly ModelEntry[], more?: object) => string>> = {
  responses: overHttp(responsesWire),
  chat: overHttp(chatWire),
  anthropic: overHttp(anthropicWire),
  gemini: overHttp(geminiWire),
  plugin: (entries, more = {}) => wellFormedJson(writeCall(requestOf(entries, more), 'plugin/1:mine')),
}
const wires = ['responses', 'chat', 'anthropic', 'gemini', 'plugin'] as const

const callOf = (callId: string, name = 'shell', args = '{}'): ModelCall => ({ callId, name, arguments: args })
const answered = (calls: readonly ModelCall[]) => calls.map(({ callId }) => result(callId, `of ${callId}`))

/** Returns all values of these fields in a body, in their order. */
function fieldsOf(body: string, fields: readonly string[]): readonly unknown[] {
  const found: unknown[] = []
  JSON.parse(body, (key, value: unknown) => {
    if (fields.includes(key)) found.push(value)
    return value
  })
  return found
}

describe('half of a character', () => {
  const half = '\ud83d'
  const places: readonly (readonly [string, (wire: OwnWire) => readonly ModelEntry[]])[] = [
    ['a message', () => [user(`a${half}`)]],
    ['an answer of the same provider', (wire) => [user('hi'), ownAnswer(wire, [], `a${half}`)]],
    ['an answer of another provider', () => [user('hi'), response({ adapter: 'other/1:x', text: `a${half}` })]],
    [
      'arguments',
      (wire) => [user('hi'), ownAnswer(wire, [callOf('c', 'shell', JSON.stringify({ a: half }))]), result('c')],
    ],
    [
      'escaped arguments of another',
      () => [user('hi'), response({ calls: [callOf('c', 'x', '{"a":"\\ud83d"}')] }), result('c')],
    ],
    ['a name of a tool', (wire) => [user('hi'), ownAnswer(wire, [callOf('c', `shell${half}`)]), result('c')]],
    ['a result', (wire) => [user('hi'), ownAnswer(wire, [callOf('c')]), result('c', `a${half}`)]],
  ]
  it.each(wires.flatMap((wire) => places.map(([place, entries]) => [wire, place, entries] as const)))(
    'does not go out on %s from %s',
    (wire, _place, entries) => {
      const body = writers[wire](entries(wire))
      expect(body).not.toMatch(/\\u[dD][89a-fA-F]/)
      expect(JSON.stringify(JSON.parse(body))).not.toMatch(/\\u[dD][89a-fA-F]/)
    },
  )

  it.each(wires)('does not go out on %s from instructions, descriptions of tools and schemas', (wire) => {
    const parameters = { type: 'object', properties: { [half]: { description: half } } } as const
    const tools = [{ ...SHELL, description: half, parameters }]
    const body = writers[wire]([user('hi')], { instructions: half, tools, model: `m${half}` })
    expect(body).not.toMatch(/\\u[dD][89a-fA-F]/)
    expect(geminiWire.requestPath(`m${half}`)).toContain('%EF%BF%BD')
  })
})

describe('the name of a call that no provider takes', () => {
  const accepted: Readonly<Record<OwnWire, RegExp>> = {
    responses: /^[\w-]{1,64}$/,
    chat: /^[\w-]{1,64}$/,
    anthropic: /^[\w-]{1,128}$/,
    gemini: /^[a-zA-Z_][\w.:-]{0,63}$/,
    plugin: /^[\w-]{1,64}$/,
  }
  const names = [
    'functions.shell',
    'functions:shell',
    'functions_shell',
    ' shell ',
    'shell<|channel|>x',
    '',
    '9 go',
    'é'.repeat(200),
  ]
  const namesIn = (body: string) =>
    fieldsOf(
      JSON.stringify(
        JSON.parse(body).prompt ?? JSON.parse(body).messages ?? JSON.parse(body).input ?? JSON.parse(body).contents,
      ),
      ['name', 'toolName'],
    )

  it.each(wires.flatMap((wire) => [[wire, true] as const, [wire, false] as const]))(
    'goes out on %s in its alphabet, each in its own form (from the same provider: %s)',
    (wire, isOwn) => {
      const calls = names.map((name, nth) => callOf(`call_${nth}`, name)).toReversed()
      const answer = isOwn ? ownAnswer(wire, calls) : response({ adapter: 'other/1:x', calls })
      const written = namesIn(writers[wire]([user('hi'), answer, ...answered(calls)]))
      for (const name of written) expect(name).toMatch(accepted[wire])
      expect(new Set(written).size).toBe(names.length)
      expect(written).toContain('functions_shell')
    },
  )

  it.each(['gemini', 'plugin'] as const)('is the same in call and result on %s', (wire) => {
    const calls = names.map((name, nth) => callOf(`call_${nth}`, name))
    const written = namesIn(writers[wire]([user('hi'), ownAnswer(wire, calls), ...answered(calls)]))
    expect(written.slice(0, names.length)).toEqual(written.slice(names.length))
  })
})

describe('the id of a call', () => {
  const ids = [
    'functions.shell:0',
    'functions:shell.0',
    'functions_shell_0',
    `call_${'x'.repeat(90)}`,
    `call_${'x'.repeat(91)}`,
  ]
  const fields = {
    anthropic: ['id', 'tool_use_id'],
    responses: ['call_id'],
    chat: ['id', 'tool_call_id'],
    plugin: ['toolCallId'],
  } as const
  const accepted = { anthropic: /^[\w-]+$/, responses: /^.{1,64}$/, chat: /./, plugin: /./ } as const

  it.each(['anthropic', 'responses', 'chat', 'plugin'] as const)(
    'goes out on %s as it takes ids, call and result alike, two never as one',
    (wire) => {
      const calls = ids.map((id) => callOf(id))
      for (const answer of [ownAnswer(wire, calls), response({ adapter: 'other/1:x', calls })]) {
        const written = fieldsOf(writers[wire]([user('hi'), answer, ...answered(calls)]), fields[wire])
        const [called, told] = [written.slice(0, ids.length), written.slice(ids.length)]
        expect(told).toEqual(called)
        expect(new Set(called).size).toBe(ids.length)
        for (const id of called) expect(id).toMatch(accepted[wire])
      }
    },
  )

  it.each(['chat', 'plugin'] as const)('stays on %s as its provider gave it, which may read it', (wire) => {
    const calls = ids.map((id) => callOf(id))
    expect(fieldsOf(writers[wire]([user('hi'), ownAnswer(wire, calls)]), fields[wire])).toEqual(ids)
  })

  it('keeps its form in every longer request', () => {
    const calls = ids.map((id) => callOf(id))
    const before = writers.anthropic([user('hi'), ownAnswer('anthropic', calls.slice(0, 2))])
    const after = writers.anthropic([
      user('hi'),
      ownAnswer('anthropic', calls.slice(0, 2)),
      ownAnswer('anthropic', calls.slice(2)),
    ])
    expect(fieldsOf(after, ['id']).slice(0, 2)).toEqual(fieldsOf(before, ['id']))
  })
})

describe('reasoning of the Responses API', () => {
  const thought = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'sealed' }
  const said = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }
  const own = (parts: readonly object[]) => response({ adapter: 'responses/1:mine', parts })
  const typesOf = (entries: readonly ModelEntry[]) =>
    JSON.parse(writers.responses(entries)).input.map(({ id, type, role }: Record<string, string>) => id ?? role ?? type)

  it.each([
    ['alone in an answer, at the end', [user('hi'), own([thought])], ['user']],
    ['alone in an answer, before a message', [user('hi'), own([thought]), user('on')], ['user', 'user']],
    ['behind the last thing said', [user('hi'), own([said, thought]), user('on')], ['user', 'msg_1', 'user']],
    ['alone before an answer of another provider', [own([thought]), response({ text: 'Hi' })], ['assistant']],
  ])('does not go back %s', (_name, entries, expected) => {
    expect(typesOf(entries)).toEqual(expected)
  })

  it.each([
    ['what it led to in the same answer', [own([thought, said])]],
    ['what it led to in the next answer', [own([thought]), own([said])]],
  ])('goes back with %s', (_name, entries) => {
    expect(typesOf(entries)).toEqual(['rs_1', 'msg_1'])
  })

  it('goes back with a summary, also when it came without one', () => {
    const { summary: _none, ...bare } = thought
    expect(JSON.parse(writers.responses([own([bare, said])])).input[0]).toEqual({ ...bare, summary: [] })
  })
})

describe('a history in which all of that came together', () => {
  const half = '\ud83d'
  const names = ['functions.shell', 'functions:shell', `shell${half}`, 'x'.repeat(200), '9 go', '']
  const calls = names.map((name, nth) => callOf(`functions.${name}:${nth}`, name, JSON.stringify({ a: half })))
  const image = { type: 'image', mediaType: 'image/png', base64: smallPng.toString('base64') } as const
  const thought = { id: 'rs_1', type: 'reasoning', encrypted_content: 'sealed' }

  it.each([
    ['responses', 'gpt-5'],
    ['chat', 'm'],
    ['anthropic', 'claude-sonnet-5'],
    ['gemini', 'gemini-3-pro'],
  ] as const)('goes out on %s as its API takes it', (wire, model) => {
    const other = calls.map((call) => ({ ...call, callId: `other ${call.callId}` }))
    const alone = wire === 'responses' ? [response({ adapter: 'responses/1:mine', parts: [thought] })] : []
    const entries: readonly ModelEntry[] = [
      { kind: 'user', content: [{ type: 'text', text: half }, image] },
      ownAnswer(wire, calls, `a${half}`),
      ...answered(calls),
      user(''),
      response({ adapter: 'other/1:x', text: '\n', calls: other }),
      ...answered(other),
      ...alone,
      user(`on${half}`),
    ]
    const text = writers[wire](entries, { model })
    const path = `/v1/models/${model}:streamGenerateContent`
    expect(refusalOf({ wire, text, body: JSON.parse(text), path })).toBeNull()
  })
})
