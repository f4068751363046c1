import type { Answers } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { readForm } from '../src/elicitation-form.ts'

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'In full', minLength: 2, maxLength: 5 },
    email: { type: 'string', format: 'email' },
    born: { type: 'string', format: 'date' },
    age: { type: 'integer', minimum: 1, maximum: 150, default: 30 },
    ratio: { type: 'number' },
    agree: { type: 'boolean' },
    friend: { type: 'string', enum: ['m', 'r'], enumNames: ['Monica', 'Rachel'] },
    hero: { type: 'string', oneOf: [{ const: 'h1', title: 'Superman' }] },
    fish: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: { anyOf: [{ const: 'f1', title: 'Tuna' }, { const: 'f2' }, { const: 'f3' }] },
    },
  },
  required: ['name'],
}

function formOf(value: unknown) {
  const form = readForm(value)
  if (form === null) throw new Error('no form')
  return form
}

const { form, check, content } = formOf(schema)

describe('the form of an elicitation', () => {
  it('has a field for each property, in its order', () => {
    expect(form.fields).toEqual([
      {
        name: 'name',
        title: 'Name',
        description: 'In full 2 characters or more, 5 characters or fewer',
        type: 'string',
        required: true,
      },
      {
        name: 'email',
        title: 'email',
        description: 'an e-mail address',
        type: 'string',
        format: 'email',
        required: false,
      },
      {
        name: 'born',
        title: 'born',
        description: 'a date like 2026-02-28',
        type: 'string',
        format: 'date',
        required: false,
      },
      {
        name: 'age',
        title: 'age',
        description: 'at least 1, at most 150',
        type: 'integer',
        required: false,
        default: 30,
      },
      { name: 'ratio', title: 'ratio', type: 'number', required: false },
      { name: 'agree', title: 'agree', type: 'boolean', required: false },
      {
        name: 'friend',
        title: 'friend',
        type: 'choice',
        choices: [
          { value: 'm', title: 'Monica' },
          { value: 'r', title: 'Rachel' },
        ],
        required: false,
      },
      { name: 'hero', title: 'hero', type: 'choice', choices: [{ value: 'h1', title: 'Superman' }], required: false },
      {
        name: 'fish',
        title: 'fish',
        description: '1 or more, 2 or fewer',
        type: 'choices',
        choices: [
          { value: 'f1', title: 'Tuna' },
          { value: 'f2', title: 'f2' },
          { value: 'f3', title: 'f3' },
        ],
        required: false,
      },
    ])
  })

  const wrong: readonly (readonly [string, Answers, string])[] = [
    ['a missing required answer', {}, 'name'],
    ['an unknown field', { name: 'Ada', nmae: 'Ada' }, 'nmae'],
    ['text where a number is needed', { name: 'Ada', ratio: '1' }, 'ratio'],
    ['a fraction where a whole number is needed', { name: 'Ada', age: 1.5 }, 'age'],
    ['a number below its limit', { name: 'Ada', age: 0 }, 'age'],
    ['a number above its limit', { name: 'Ada', age: 151 }, 'age'],
    ['text that is too short', { name: 'A' }, 'name'],
    ['text that is too long, by characters', { name: '🙂🙂🙂🙂🙂🙂' }, 'name'],
    ['an invalid e-mail address', { name: 'Ada', email: 'ada' }, 'email'],
    ['an invalid date', { name: 'Ada', born: '2026-13-01' }, 'born'],
    ['a word where true or false is needed', { name: 'Ada', agree: 'yes' }, 'agree'],
    ['the title of a choice', { name: 'Ada', friend: 'Monica' }, 'friend'],
    ['an unknown choice among several', { name: 'Ada', fish: ['f1', 'f4'] }, 'fish'],
    ['a choice twice', { name: 'Ada', fish: ['f1', 'f1'] }, 'fish'],
    ['a text where a list is needed', { name: 'Ada', fish: 'f1' }, 'fish'],
    ['too many choices', { name: 'Ada', fish: ['f1', 'f2', 'f3'] }, 'fish'],
    ['too few choices', { name: 'Ada', fish: [] }, 'fish'],
  ]

  it.each(wrong)('rejects %s', (_what, answers, field) => {
    expect(check(answers)).toMatchObject({ field, message: expect.stringMatching(/./) })
  })

  it('accepts fitting answers and returns them in the types of the server', () => {
    const answers = { name: 'Ada', email: 'a@b', age: 36, agree: false, friend: 'm', fish: ['f1', 'f2'] }
    expect(check(answers)).toBeNull()
    expect(content(answers)).toEqual({ ...answers, age: 36 })
  })

  it('fills in the defaults of fields that an answer leaves out, also of required ones', () => {
    expect(content({ name: 'Ada' })).toEqual({ name: 'Ada', age: 30 })
    const preset = formOf({ properties: { size: { type: 'string', default: 'm' } }, required: ['size'] })
    expect([preset.check({}), preset.content({})]).toEqual([null, { size: 'm' }])
  })

  it('cannot ask for a list of free texts', () => {
    expect(readForm({ properties: { tags: { type: 'array', items: { type: 'string' } } } })).toBeNull()
  })

  it('may have no fields, which asks for plain consent', () => {
    const plain = formOf({ type: 'object', properties: {} })
    expect(plain.form.fields).toEqual([])
    expect(plain.check({})).toBeNull()
  })
})
