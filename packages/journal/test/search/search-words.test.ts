import { describe, expect, it } from 'vitest'
import { findWord, indexedText, matchExpression, searchWords } from '../../src/search/search-words.ts'

const expressions = (typed: string) => searchWords(typed).map(matchExpression)

describe('the words of a search', () => {
  it.each([
    ['kafka retry', ['"kafka"*', '"retry"*']],
    ['"exactly this" too', ['"exactly this"', '"too"*']],
    ['an open "end of', ['"an"', '"open"*', '"end of"']],
    ['read_file.ts', ['"read file ts"']],
    ['of', ['"of"']],
    ['-> "" ...', []],
    ['日本 go', ['"日 本"', '"go"']],
    ['a" OR b', ['"a"', '"OR b"']],
    ['text:x NEAR(y) ^z*', ['"text x"', '"NEAR y"', '"z"']],
  ])('of %j are %j', (typed, wanted) => {
    expect(expressions(typed)).toEqual(wanted)
  })

  it('are at most sixteen', () => {
    expect(searchWords('word '.repeat(5000))).toHaveLength(16)
  })
})

describe('the place of a word', () => {
  it.each([
    ['the Retries', 'retr', 'Retr'],
    ['retry, not pretry', 'pretry', 'pretry'],
    ['at the café', 'cafe', 'café'],
    ['naïve Größe', 'grosse größe', null],
    ['Größe', 'grösse', null],
    ['Größe', 'große', 'Größe'],
    ['cat concat', 'of', null],
    ['in read_file now', 'read-file', 'read_file'],
    ['これは日本語です', '日本', '日本'],
    ['off of', 'of', 'of'],
  ])('in %j for %j is %j', (text, typed, wanted) => {
    const [word] = searchWords(typed)
    const place = word === undefined ? null : findWord(text, word)
    expect(place === null ? null : text.slice(place.from, place.to)).toBe(wanted)
  })

  it('separates the characters of scripts without blanks for the index', () => {
    expect(indexedText('a 日本 b')).toBe('a  日  本  b')
  })
})
