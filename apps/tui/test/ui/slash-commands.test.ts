import { describe, expect, test } from 'vitest'
import { completionsFor, parseSlash } from '../../src/ui/slash-commands.ts'

describe('parseSlash', () => {
  test.each([
    ['/help', { kind: 'command', name: 'help', argument: '' }],
    ['/MODEL  ollama llama3:8b ', { kind: 'command', name: 'model', argument: 'ollama llama3:8b' }],
    ['/name the long\nway', { kind: 'command', name: 'name', argument: 'the long\nway' }],
    ['/modle', { kind: 'unknown', word: 'modle', nearest: 'model' }],
    ['/moedl', { kind: 'unknown', word: 'moedl', nearest: 'model' }],
    ['/hlxp', { kind: 'unknown', word: 'hlxp', nearest: null }],
    ['/xyzzy', { kind: 'unknown', word: 'xyzzy', nearest: null }],
    ['/usr/bin is a folder', null],
    ['see /help', null],
  ])('%j is %o', (text, parsed) => {
    expect(parseSlash(text)).toEqual(parsed)
  })
})

describe('completionsFor', () => {
  test('lists the commands with this prefix, and none once the word is complete', () => {
    expect(completionsFor('/s').map(({ name }) => name)).toEqual(['sandbox', 'status'])
    expect(completionsFor('/').length).toBeGreaterThan(5)
    expect(completionsFor('/status ')).toEqual([])
    expect(completionsFor('a/s')).toEqual([])
  })
})
