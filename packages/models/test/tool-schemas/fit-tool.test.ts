import { describe, expect, it } from 'vitest'
import { anySchema, type ToolRules } from '../../src/port/tool-rules.ts'
import { fitTool } from '../../src/tool-schemas/fit-tool.ts'
import { originalArguments } from '../../src/tool-schemas/plain-names.ts'
import { anthropicWire } from '../../src/wires/anthropic/wire.ts'
import { chatWire } from '../../src/wires/chat/wire.ts'
import { geminiWire } from '../../src/wires/gemini/wire.ts'
import { responsesWire } from '../../src/wires/responses/wire.ts'

type Schema = Readonly<Record<string, unknown>>

const wires = { chat: chatWire, responses: responsesWire, anthropic: anthropicWire, gemini: geminiWire }
const rulesOf = (name: keyof typeof wires) => wires[name].toolRules
const fitted = (parameters: Schema, rules: ToolRules = anySchema) => fitTool({ description: '', parameters }, rules)
const text = { type: 'string' }

describe('a schema that an API takes', () => {
  const fine: readonly (readonly [string, Schema])[] = [
    ['of plain properties', { type: 'object', properties: { a: text }, required: ['a'], additionalProperties: false }],
    [
      'of a Pydantic model',
      { $defs: { Q: { type: 'object' } }, properties: { q: { $ref: '#/$defs/Q' } }, type: 'object' },
    ],
    [
      'with choices below the top',
      { type: 'object', properties: { a: { anyOf: [text, { type: 'null' }], default: null } } },
    ],
    ['with words that it does not know', { type: 'object', properties: { a: { 'x-order': 1, nullable: true } } }],
    ['with boolean schemas', { type: 'object', properties: { a: true }, additionalProperties: {} }],
    [
      'with lists of types and patterns',
      { type: 'object', properties: { a: { type: ['string', 'null'], pattern: '^(?!x)[\\w\\-./]+$' } } },
    ],
    [
      'with elements of arrays',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { l: { type: 'array', items: text } },
      },
    ],
    [
      'that contains itself',
      {
        type: 'object',
        $defs: { N: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/N' } } } } },
        properties: { root: { $ref: '#/$defs/N' } },
      },
    ],
    [
      'with properties named like keywords',
      { type: 'object', properties: { type: text, items: text, enum: text, required: { type: 'boolean' } } },
    ],
  ]
  describe.each(Object.keys(wires) as (keyof typeof wires)[])('on %s', (wire) => {
    it.each(fine)('%s stays byte by byte', (_what, schema) => {
      const { parameters, renamed, folded } = fitted(schema, rulesOf(wire))
      expect(JSON.stringify(parameters)).toBe(JSON.stringify(schema))
      expect([renamed, folded]).toEqual([{}, []])
    })
  })

  it('is an object with properties in any case', () => {
    expect(fitted({})).toMatchObject({ parameters: { type: 'object', properties: {} } })
    expect(JSON.stringify(fitted({ title: 'T' }).parameters)).toBe('{"title":"T","type":"object","properties":{}}')
  })
})

describe('choices at the top of a schema', () => {
  const pick = {
    type: 'object',
    properties: { id: text },
    required: ['id'],
    anyOf: [
      { properties: { a: text }, required: ['a'] },
      { properties: { b: { type: 'number' } }, required: ['b'] },
    ],
  }

  it.each(['chat', 'responses', 'anthropic'] as const)('are one object on %s, and the description has them', (wire) => {
    const { parameters, description, folded } = fitTool({ description: 'Picks.', parameters: pick }, rulesOf(wire))
    expect(parameters).toEqual({
      type: 'object',
      properties: { id: text, a: text, b: { type: 'number' } },
      required: ['id'],
    })
    expect(description).toBe('Picks.\n\nIt needs one of these: a; b.')
    expect(folded).toEqual(['anyOf'])
  })

  it('stay where the API takes them', () => {
    expect(fitted(pick, rulesOf('gemini')).parameters).toEqual(pick)
  })

  const folds: readonly (readonly [string, Schema, Schema])[] = [
    [
      'of all of several',
      {
        allOf: [
          { properties: { a: text }, required: ['a'] },
          { properties: { b: text }, required: ['b'] },
        ],
      },
      { properties: { a: text, b: text }, required: ['a', 'b'] },
    ],
    [
      'required by each choice',
      {
        oneOf: [
          { properties: { a: text, k: text }, required: ['k', 'a'] },
          { properties: { k: text }, required: ['k'] },
        ],
      },
      { properties: { a: text, k: text }, required: ['k'] },
    ],
    [
      'that differ between choices',
      {
        oneOf: [
          { properties: { k: { const: 1 } } },
          { properties: { k: { const: 2 } } },
          { properties: { k: { const: 1 } } },
        ],
      },
      { properties: { k: { anyOf: [{ const: 1 }, { const: 2 }] } } },
    ],
    [
      'behind references',
      { $defs: { A: { type: 'object', properties: { a: text } } }, anyOf: [{ $ref: '#/$defs/A' }] },
      { properties: { a: text }, $defs: { A: { type: 'object', properties: { a: text } } } },
    ],
    [
      'beside null',
      { anyOf: [{ type: 'object', properties: { a: text } }, { type: 'null' }] },
      { properties: { a: text } },
    ],
    [
      'within each other',
      { anyOf: [{ allOf: [{ properties: { a: text } }, { properties: { b: text } }] }] },
      { properties: { a: text, b: text } },
    ],
    [
      'with a reference into a choice',
      { anyOf: [{ properties: { a: text } }, { properties: { b: { $ref: '#/anyOf/0/properties/a' } } }] },
      { properties: { a: text, b: text } },
    ],
    ['that lead nowhere', { anyOf: [{ $ref: '#/$defs/gone' }, 7, null] }, { properties: {} }],
    ['without a list', { anyOf: 'x' }, { properties: {} }],
  ]
  it.each(folds)('keep the properties %s', (_what, schema, expected) => {
    expect(fitted(schema, rulesOf('anthropic')).parameters).toEqual({ ...expected, type: 'object' })
  })

  it('may be values and negations, which OpenAI refuses', () => {
    const schema = { type: 'object', properties: { a: text }, enum: [{ a: 'x' }], not: { required: ['b'] } }
    const { parameters, folded } = fitted(schema, rulesOf('chat'))
    expect(parameters).toMatchObject({ type: 'object', properties: { a: text } })
    expect(parameters).not.toHaveProperty('allOf')
    expect(folded).toEqual(['enum', 'not'])
  })
})

describe('names of properties that Anthropic refuses', () => {
  const odd = {
    type: 'object',
    properties: {
      'filter[id]': text,
      'a b': text,
      a_b: text,
      ['x'.repeat(70)]: text,
      größe: text,
      '': text,
      'ok.1-x': text,
    },
    required: ['filter[id]', 'a_b'],
  }

  it('are plain there, each of its own, and the tool gets its own ones', () => {
    const { parameters, renamed } = fitted(odd, rulesOf('anthropic'))
    const names = Object.keys(Object(parameters['properties']))
    expect(names).toEqual(['filter_id_', 'a_b_2', 'a_b', 'x'.repeat(64), 'gr__e', '_', 'ok.1-x'])
    expect(parameters['required']).toEqual(['filter_id_', 'a_b'])
    const args = Object.fromEntries(names.map((name, index) => [name, index]))
    expect(Object.keys(originalArguments(args, renamed))).toEqual(Object.keys(odd.properties))
  })

  it.each(['chat', 'responses', 'gemini'] as const)('stay on %s', (wire) => {
    expect(fitted(odd, rulesOf(wire))).toMatchObject({ parameters: odd, renamed: {} })
  })

  it('keep what refers to them', () => {
    const schema = { properties: { 'a b': text, c: { $ref: '#/properties/a b' } } }
    expect(fitted(schema, rulesOf('anthropic')).parameters['properties']).toEqual({ a_b: text, c: text })
  })
})

describe('what no API takes', () => {
  const wrong: readonly (readonly [string, Schema, Schema])[] = [
    ['a type that is none', { type: 'any' }, {}],
    ['types of which some are none', { type: ['string', 'file', 'string'] }, { type: ['string'] }],
    [
      'a schema that is a list',
      { items: [text, { type: 'number' }], type: 'array' },
      { type: 'array', prefixItems: [text, { type: 'number' }] },
    ],
    ['properties that are a list', { type: 'object', properties: [] }, { type: 'object' }],
    ['required as draft 3 has it', { type: 'string', required: true }, { type: 'string' }],
    ['a name required twice', { required: ['a', 'a', 1] }, { required: ['a'] }],
    ['a limit as draft 4 has it', { minimum: 1, exclusiveMinimum: true }, { minimum: 1 }],
    ['a negative or broken length', { minLength: -1, maxLength: 1.5 }, {}],
    ['no values', { enum: [] }, {}],
    ['no choices', { anyOf: [] }, {}],
    [
      'words of a wrong kind',
      { title: 1, description: ['x'], format: {}, pattern: 3, uniqueItems: 'yes', examples: 'x' },
      {},
    ],
    ['an inner schema that is none', { items: 'string', type: 'array' }, { items: {}, type: 'array' }],
    ['a reference that leads nowhere', { $ref: '#/$defs/gone', title: 'T' }, { title: 'T' }],
    ['a reference to another host', { $ref: 'https://example.invalid/a.json' }, {}],
  ]
  it.each(wrong)('is left out: %s', (_what, inner, expected) => {
    const { parameters } = fitted({ type: 'object', properties: { a: inner, b: text } })
    expect(parameters).toEqual({ type: 'object', properties: { a: expected, b: text } })
  })

  it('is kept where it is a value', () => {
    const schema = { type: 'object', properties: { a: { default: { type: 'any', $ref: '#/x' }, const: { enum: [] } } } }
    expect(fitted(schema, rulesOf('chat')).parameters).toEqual(schema)
  })
})

describe('what OpenAI refuses', () => {
  it.each([['array'], [['array', 'null']]])('in an array of type %j without items is mended', (type) => {
    const schema = { type: 'object', properties: { l: { type } } }
    expect(fitted(schema, rulesOf('responses')).parameters['properties']).toEqual({ l: { type, items: {} } })
    expect(fitted(schema, rulesOf('anthropic')).parameters).toEqual(schema)
  })

  it.each(['^[^\\p{Cc}]+$', '(?<year>\\d{4})', '\\u{1F600}', '^a\\z', '\\\\\\cA'])(
    'as the pattern %s is left out',
    (pattern) => {
      const schema = {
        type: 'object',
        properties: { a: { type: 'string', pattern } },
        patternProperties: { [pattern]: text },
      }
      expect(fitted(schema, rulesOf('chat')).parameters).toEqual({
        type: 'object',
        properties: { a: text },
        patternProperties: {},
      })
      expect(fitted(schema, rulesOf('anthropic')).parameters).toEqual(schema)
    },
  )

  it.each(['^(?!__)[\\w.-]+$', '\\\\p', '(?<=a)b', '(?P<y>\\d)', '\\u00e9', '\\/x'])(
    'not as the pattern %s',
    (pattern) => {
      const schema = { type: 'object', properties: { a: { type: 'string', pattern } } }
      expect(fitted(schema, rulesOf('chat')).parameters).toEqual(schema)
    },
  )
})

describe('references on Gemini', () => {
  const at = (schema: Schema) => fitted(schema, rulesOf('gemini')).parameters['properties']

  it('stand alone', () => {
    const properties = { q: { $ref: '#/$defs/Q', title: 'Q', description: 'the query', default: null } }
    expect(at({ $defs: { Q: text }, properties })).toEqual({
      q: { $ref: '#/$defs/Q', description: 'the query', default: null },
    })
  })

  it('to other places than $defs are written out', () => {
    const properties = { a: text, b: { $ref: '#/properties/a', title: 'B' }, c: { items: { $ref: '#/definitions/D' } } }
    expect(at({ definitions: { D: { type: 'integer' } }, properties })).toEqual({
      a: text,
      b: { type: 'string', title: 'B' },
      c: { items: { type: 'integer' } },
    })
  })

  it('that lead back to themselves end', () => {
    const definitions = { N: { type: 'object', properties: { next: { $ref: '#/definitions/N' } } } }
    expect(at({ definitions, properties: { n: { $ref: '#/definitions/N' } } })).toEqual({
      n: { type: 'object', properties: { next: {} } },
    })
  })

  it('that double at each level end after a while', () => {
    const twice = (to: number) => ({
      properties: { x: { $ref: `#/definitions/L${to}` }, y: { $ref: `#/definitions/L${to}` } },
    })
    const definitions = Object.fromEntries(Array.from({ length: 40 }, (_, level) => [`L${level}`, twice(level + 1)]))
    expect(JSON.stringify(at({ definitions, properties: { a: { $ref: '#/definitions/L0' } } })).length).toBeLessThan(
      20_000,
    )
  })
})

describe('a schema of a size that its server chooses', () => {
  const numbered = (length: number, one: (nth: number) => readonly [string, unknown]) =>
    Object.fromEntries(Array.from({ length }, (_, nth) => one(nth)))
  const every: ToolRules = { ...rulesOf('chat'), plainNames: true }

  it('is folded once, however often a choice holds itself', () => {
    const allOf = Array.from({ length: 20 }, () => ({ $ref: '#/$defs/A' }))
    const { parameters } = fitted({ allOf, $defs: { A: { properties: { a: text }, allOf } } }, every)
    expect(parameters).toMatchObject({ type: 'object', properties: { a: text } })
    expect(parameters).not.toHaveProperty('allOf')
  })

  it('keeps what the first of many choices say, and requires no more than all do', () => {
    const oneOf = Array.from({ length: 4000 }, (_, nth) => ({
      properties: { kind: { const: nth }, [`p${nth}`]: text },
      required: ['kind', ...(nth === 3999 ? [] : ['other'])],
    }))
    const { parameters } = fitted({ oneOf }, every)
    expect(Object.keys(parameters['properties'] ?? {}).slice(0, 3)).toEqual(['kind', 'p0', 'p1'])
    expect(parameters['required']).toBeUndefined()
  })

  it('may have a reference in each of its properties', () => {
    const named = numbered(4000, (nth) => [`p${nth}`, { $ref: `other${nth}`, description: 'x'.repeat(100) }])
    const { parameters } = fitted({ properties: named }, every)
    expect(JSON.stringify(parameters)).not.toContain('$ref')
    const $defs = numbered(4000, (nth) => [`d${nth}`, text])
    const schema = {
      $defs,
      type: 'object',
      properties: numbered(4000, (nth) => [`p${nth}`, { $ref: `#/$defs/d${nth}` }]),
    }
    expect(fitted(schema, every).parameters).toEqual(schema)
  })

  it('is not written out over and over', () => {
    const big = { type: 'object', properties: numbered(2000, (nth) => [`q${nth}`, { ...text, title: 'y'.repeat(50) }]) }
    const properties = { big, ...numbered(100, (nth) => [`p${nth}`, { $ref: '#/properties/big' }]) }
    const { parameters } = fitted({ properties }, rulesOf('gemini'))
    expect(JSON.stringify(parameters).length).toBeLessThan(3 * JSON.stringify({ properties }).length)
    expect(parameters).toMatchObject({ properties: { big, p0: big, p99: {} } })
  })

  it('may have many names that become the same', () => {
    const properties = numbered(20_000, (nth) => [String.fromCharCode(0x4e00 + nth), text])
    const { parameters, renamed } = fitted({ properties }, every)
    expect(Object.keys(renamed)).toHaveLength(20_000)
    expect(Object.keys(parameters['properties'] ?? {}).slice(0, 2)).toEqual(['_', '__2'])
  })
})
