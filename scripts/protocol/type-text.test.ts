import { describe, expect, it } from 'vitest'
import { fieldTable } from './field-table.mjs'
import { typeText } from './type-text.mjs'

describe('typeText', () => {
  it.each([
    [{ $ref: '#/$defs/Turn' }, '[Turn](#turn)'],
    [{ anyOf: [{ $ref: '#/$defs/Turn' }, { type: 'null' }] }, '[Turn](#turn) or null'],
    [{ type: 'string', enum: ['a', 'b'] }, '`"a"` \\| `"b"`'],
    [{ type: 'boolean', const: true }, '`true`'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'array', minItems: 1, items: { type: 'string' } }, 'non-empty array of string'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, 'integer 1 to 9'],
    [{ type: 'integer', minimum: 0 }, 'integer ≥ 0'],
    [{ type: 'string', minLength: 1 }, 'non-empty string'],
    [{ type: 'string', maxLength: 200 }, 'string, at most 200'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'map of string to string'],
    [{}, 'any'],
  ])('reads %j as %s', (schema, text) => {
    expect(typeText(schema)).toBe(text)
  })
})

describe('fieldTable', () => {
  it('spells out objects that have no name, below their field', () => {
    const step = { type: 'object', properties: { at: { type: 'number', description: 'a|b' } }, required: ['at'] }
    const properties = { steps: { type: 'array', items: step }, last: { anyOf: [step, { type: 'null' }] } }
    expect(
      fieldTable({ properties, required: ['last'] })
        .split('\n')
        .slice(2),
    ).toEqual([
      '| `steps` | array of object | no |  |',
      '| `steps[].at` | number | yes | a\\|b |',
      '| `last` | object or null | yes |  |',
      '| `last.at` | number | yes | a\\|b |',
    ])
  })

  it('leaves out what it is told to', () => {
    expect(fieldTable({ properties: { type: { const: 'x' } } }, { without: ['type'], ifEmpty: 'Nothing.' })).toBe(
      'Nothing.',
    )
  })
})
