import { completionsFor, hereInstead, parseSlash } from '@parley/presentation/commands/slash-commands'
import { describe, expect, test } from 'vitest'
import { changePart } from '../../src/ui/state/ui-state.ts'
import { after } from '../view/scenes/conversation.ts'
import { openUi, written } from '../view/scenes/scene.ts'
import { typeKeys } from './type-keys.ts'

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
    expect(completionsFor('/s').map(({ name }) => name)).toEqual(['sandbox', 'status', 'share'])
    expect(completionsFor('/').length).toBeGreaterThan(5)
    expect(completionsFor('/status ')).toEqual([])
    expect(completionsFor('a/s')).toEqual([])
  })
})

test.each([
  ['/copy', { what: 'answer', number: null }],
  ['/copy all', { what: 'all', number: null }],
  ['/copy code 2', { what: 'code', number: 2 }],
])('%s copies', (text, intent) => {
  expect(typeKeys(openUi, after(), text, 'enter').intents).toEqual([{ kind: 'copy', ...intent }])
})

test.each(['/copy everything', '/copy all 2', '/copy code none'])('%s says how it is written', (text) => {
  const { ui, intents } = typeKeys(openUi, after(), text, 'enter')
  expect(intents).toEqual([])
  expect(JSON.stringify(ui.notices.at(-1))).toContain('/copy [answer')
})

test.each([
  ['ctrl+t', 'end'],
  ['ctrl+o', 'lastFold'],
])('%s shows the transcript, whatever is written', (key, at) => {
  expect(typeKeys(changePart(openUi, 'composing', { composer: written('text') }), after(), key).intents).toEqual([
    { kind: 'showTranscript', at },
  ])
})

test('a name from elsewhere says what stands here', () => {
  expect(hereInstead('export')).toContain('parley export')
  expect(hereInstead('prompts:look')).toContain('/look')
  expect(hereInstead('constructor')).toBeNull()
  for (const [typed, name] of [
    ['/tasks', 'ps'],
    ['/cost', 'status'],
  ] as const)
    expect(parseSlash(typed)).toEqual({ kind: 'command', name, argument: '' })
})
