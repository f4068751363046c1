import fc from 'fast-check'
import { expect, test } from 'vitest'
import { marks, marksIn, paragraph, paragraphs } from './marked-paragraphs.ts'

const nameCharacter = fc.constantFrom(...'BEbe0123456789')

test('each paragraph has a mark at both ends', () => {
  expect(marksIn(paragraphs(40).split('\n'))).toEqual(marks(40))
})

test('a row that stands twice is seen', () => {
  expect(marksIn([paragraph(0), paragraph(1), paragraph(1)])).not.toEqual(marks(2))
})

test('no name of a temporary folder counts as a finished line', () => {
  fc.assert(
    fc.property(fc.string({ unit: nameCharacter, minLength: 6, maxLength: 6 }), (name) => {
      const rows = [`  parley 0.1.0 · /tmp/parley-test-${name}`, paragraph(0), `  scripted · parley-test-${name} · ask`]
      expect(marksIn(rows)).toEqual(marks(1))
    }),
  )
})
