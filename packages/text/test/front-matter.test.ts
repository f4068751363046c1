import { describe, expect, it } from 'vitest'
import { readFrontMatter } from '../src/front-matter.ts'

function fieldsOf(head: string): unknown {
  const read = readFrontMatter(`---\n${head}\n---\nbody\n`)
  return 'problem' in read ? read.problem : Object.fromEntries(read.fields)
}

describe('front matter', () => {
  it('is read apart from the body, whatever the line ends', () => {
    const read = readFrontMatter('---\r\nname: deploy\r\n---\r\n\r\n# Deploy\r\n')
    expect(read).toEqual({ fields: new Map([['name', 'deploy']]), body: '# Deploy\n' })
  })

  it('is empty in a file without it', () => {
    expect(readFrontMatter('# Title\n---\n')).toEqual({ fields: new Map(), body: '# Title\n---\n' })
  })

  it.each([
    ['a colon in a value', 'description: Use when: it rains', { description: 'Use when: it rains' }],
    ['a remark', 'name: a # not this', { name: 'a' }],
    ['double quotes', 'name: "a \\"b\\" #c\\n"', { name: 'a "b" #c\n' }],
    ['single quotes', "name: 'it''s'", { name: "it's" }],
    [
      'a folded block',
      'description: >-\n  one\n  two\n\n  three\nname: a',
      { description: 'one two\nthree', name: 'a' },
    ],
    ['a literal block', 'description: |\n  one\n    two', { description: 'one\n  two' }],
    ['a value over several lines', 'description: one\n  two', { description: 'one two' }],
    ['a list', 'allowed-tools:\n  - Read\n  - Bash(git:*)', { 'allowed-tools': ['Read', 'Bash(git:*)'] }],
    ['a list that is not indented', 'tools:\n- a\nname: b', { tools: ['a'], name: 'b' }],
    ['a list in brackets', 'allowed-tools: [Read, "Write"]', { 'allowed-tools': ['Read', 'Write'] }],
    ['a nested map, which is left out', 'metadata:\n  author: me\nname: a', { name: 'a' }],
    ['an empty value', 'name:', { name: '' }],
  ])('reads %s', (_, head, expected) => {
    expect(fieldsOf(head)).toEqual(expected)
  })

  it.each([
    ['a line without a key', 'name: a\nwhat is this', 'line 3 is no `key: value` of its front matter'],
    ['a key that is there twice', 'name: a\nname: b', 'its front matter has name twice'],
    ['quotes without an end', 'name: "a', 'the quotes of name in its front matter do not end'],
  ])('names %s', (_, head, problem) => {
    expect(fieldsOf(head)).toBe(problem)
  })

  it('without an end is named', () => {
    expect(readFrontMatter('---\nname: a\n')).toEqual({ problem: 'its front matter begins with --- and has no end' })
  })
})
