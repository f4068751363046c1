import { describe, expect, test } from 'vitest'
import { around, run, shown, written } from './write.ts'

const surroundings = { ...around, history: ['first', 'second\nline'] }

describe('history', () => {
  test('up from the first row shows the newest entry, then the older ones', () => {
    expect(shown(run(written('draft|'), ['up'], surroundings))).toBe('second\nline|')
    expect(shown(run(written('draft|'), ['up', 'up', 'up'], surroundings))).toBe('first|')
  })

  test('the oldest entry stays', () => {
    expect(shown(run(written(''), ['up', 'up', 'up', 'up', 'up'], surroundings))).toBe('first|')
  })

  test('down from the newest entry brings the draft and its caret back', () => {
    expect(shown(run(written('dr|aft'), ['up', 'up', 'up', 'down', 'down'], surroundings))).toBe('dr|aft')
  })

  test('an entry that is edited becomes the draft', () => {
    const edited = run(written('draft'), ['up', { kind: 'insert', text: '!' }, 'down'], surroundings)
    expect(edited.text).toBe('second\nline!')
    expect(run(edited, ['up', 'up', 'down', 'down'], surroundings).text).toBe('second\nline!')
  })

  test('undo brings the draft back from an entry, edited or not', () => {
    expect(shown(run(written('dr|aft'), ['up', 'undo'], surroundings))).toBe('dr|aft')
    const edited = run(written('dr|aft'), ['up', { kind: 'insert', text: '!' }], surroundings)
    expect(shown(run(edited, ['undo', 'undo'], surroundings))).toBe('dr|aft')
  })

  test('an entry that another client sent comes without effects on the terminal', () => {
    const history = ['\x1b]2;title\x07old', 'one\x9b2Jtwo\u202e']
    const { text } = run(written(''), ['up'], { ...surroundings, history })
    expect(text).toBe('onetwo')
    expect(run(written(''), ['up', 'up', 'down'], { ...surroundings, history }).text).toBe('onetwo')
  })

  test('without history nothing changes', () => {
    expect(shown(run(written('dr|aft'), ['up', 'down']))).toBe('dr|aft')
  })
})
