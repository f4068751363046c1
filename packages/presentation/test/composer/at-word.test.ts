import { describe, expect, test } from 'vitest'
import { atWordAt, namedImages, writtenPath } from '../../src/composer/at-word.ts'

/** `|` is the caret. */
function queryAt(marked: string): string | null {
  const caret = marked.indexOf('|')
  return atWordAt({ text: marked.replace('|', ''), caret })?.query ?? null
}

describe('the path that is written', () => {
  test.each([
    ['@|', ''],
    ['look at @src/in|', 'src/in'],
    ['look at @src|/in now', 'src'],
    ['(@a|', 'a'],
    ['@"my file|', 'my file'],
    ['first\n@a|', 'a'],
  ])('%j is %j', (text, query) => {
    expect(queryAt(text)).toBe(query)
  })

  test.each(['ada@example|', '@a |', '@a.ts:10-2|', '@a.ts:|', '!ls @a|', '/model @a|', '@"a" |', 'a|'])(
    '%j has none',
    (text) => {
      expect(queryAt(text)).toBeNull()
    },
  )

  test('is replaced to its end', () => {
    expect(atWordAt({ text: 'see @src/old.ts, please', caret: 8 })).toEqual({ start: 4, end: 16, query: 'src' })
    expect(atWordAt({ text: '@"my fi" x', caret: 4 })).toEqual({ start: 0, end: 8, query: 'my' })
  })
})

test.each([
  ['src/a.ts', '@src/a.ts '],
  ['src/', '@src/'],
  ['my file.ts', '@"my file.ts" '],
  ['my folder/', '@"my folder/'],
])('the path %j is written %j', (path, written) => {
  expect(writtenPath(path)).toBe(written)
})

test('images are named by @, quoted or not, each once', () => {
  const text = '@a.png and (@b/c.JPG), @"my shot.webp"; again @a.png. not ada@a.png, @a.ts or a.gif'
  expect(namedImages(text)).toEqual(['a.png', 'b/c.JPG', 'my shot.webp'])
  expect(namedImages('is it @d.gif?')).toEqual(['d.gif'])
})
