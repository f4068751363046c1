import { expanded, paste } from '@parley/presentation/composer/composer'
import { describe, expect, test } from 'vitest'
import { around, run, shown, written } from './write.ts'

const surroundings = { ...around, history: ['first', 'second\nline'] }
const wide = { ...around, columns: 80 }

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

  test('an entry that was sent with a paste comes back with its mark, and is sent whole again', () => {
    const pasted = 'row\n'.repeat(400_000)
    const sent = [
      { text: 'look: [pasted 400000 lines #1]', pastes: [{ mark: '[pasted 400000 lines #1]', text: pasted }] },
    ]
    const draft = paste(written('about '), 'x'.repeat(2_000))
    const recalled = run(draft, ['up'], { ...wide, history: [`look: ${pasted}`], sent })
    expect(recalled.text).toBe('look: [pasted 400000 lines #2]')
    expect(expanded(recalled) === `look: ${pasted}`).toBe(true)
    expect(run(recalled, ['down'], { ...wide, history: [`look: ${pasted}`], sent }).text).toBe(draft.text)
    expect(run(recalled, ['down', 'up'], { ...wide, history: [`look: ${pasted}`], sent }).text).toBe(recalled.text)
  })

  test('a long entry of another session is one mark, a shorter one stays text', () => {
    const [long, short] = ['a line\n'.repeat(628), 'a line\n'.repeat(20)]
    const recalled = run(written(''), ['up'], { ...wide, history: [short, long] })
    expect(recalled.text).toBe('[pasted 628 lines #1]')
    expect(expanded(recalled)).toBe(long)
    expect(run(recalled, ['up'], { ...wide, history: [short, long] }).text).toBe(short)
  })
})
