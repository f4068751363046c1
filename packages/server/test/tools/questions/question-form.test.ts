import { answeredText, formOf } from '@parley/engine/src/tools/questions/question-form.ts'
import { formSchema } from '@parley/frontends/src/codex-events/form-schema.ts'
import { expect, it } from 'vitest'

const question = { header: 'Extras', text: 'What else?', options: ['cache', 'queue'], multiple: true, other: false }

it('a question with several choices is one list of them for MCP clients', () => {
  expect(formSchema(formOf([question]).fields)).toEqual({
    type: 'object',
    properties: {
      q1: {
        type: 'array',
        title: 'Extras',
        description: 'What else?',
        items: {
          anyOf: [
            { const: 'cache', title: 'cache' },
            { const: 'queue', title: 'queue' },
          ],
        },
      },
    },
  })
})

it('answers to a form of an earlier version, one field for each option, are read too', () => {
  const told = (answers: Parameters<typeof answeredText>[1]) => JSON.parse(answeredText([question], answers)).answers
  expect(told({ q1_2: true })).toEqual([{ header: 'Extras', answer: ['queue'] }])
  expect(told({ q1: ['cache'] })).toEqual([{ header: 'Extras', answer: ['cache'] }])
  expect(told({})).toEqual([{ header: 'Extras', answer: [] }])
})
