import { describe, expect, test } from 'vitest'
import { editingKeys } from '../../../src/ui/keys/editing-keys.ts'
import { keySections } from '../../../src/ui/keys/key-table.ts'
import { keyGroups, keyName, usualKeyGroups } from '../../../src/ui/keys/key-words.ts'
import { changePart, type UiState } from '../../../src/ui/state/ui-state.ts'
import {
  after,
  command,
  completed,
  requested,
  shellCommand,
  started,
  turnEnded,
  turnStarted,
  userMessage,
} from '../../view/scenes/conversation.ts'
import { openUi, written } from '../../view/scenes/scene.ts'
import { seenAt, typeAtOnce, typeKeys } from '../type-keys.ts'

const idle = after(completed(userMessage('first')), turnStarted, turnEnded())
const turn = after(turnStarted, completed(userMessage('go')))
const shell = after(turnStarted, started({ ...shellCommand('sleep 100'), id: 's1' }))
const asking = after(turnStarted, started(command('make')), requested())

describe('a key whose meaning changed', () => {
  test('does nothing for 300 ms after the frame that changed it', () => {
    const shown = seenAt(seenAt(openUi, shell, 1_000), turn, 2_000)
    expect(typeAtOnce(shown, turn, 2_299, 'escape').intents).toEqual([])
    expect(typeAtOnce(shown, turn, 2_300, 'escape').intents).toEqual([{ kind: 'interrupt', turnId: 't1' }])
  })

  test('does nothing before that frame either', () => {
    const shown = seenAt(openUi, shell, 1_000)
    expect(typeAtOnce(shown, turn, 5_000, 'escape').intents).toEqual([])
  })

  test('has its effect at once where it does the same as before', () => {
    const shown = seenAt(seenAt(openUi, turn, 1_000), asking, 2_000)
    expect(typeAtOnce(shown, asking, 2_001, 'escape').intents).toEqual([{ kind: 'interrupt', turnId: 't1' }])
  })

  test('has its effect at once where another key changed it', () => {
    const shown = seenAt(changePart(openUi, 'composing', { composer: written('/s') }), turn, 1_000)
    expect(typeAtOnce(shown, turn, 1_001, 'escape', 'escape').intents).toEqual([{ kind: 'interrupt', turnId: 't1' }])
  })

  test('is text all the same where it is a letter', () => {
    const shown = seenAt(seenAt(openUi, asking, 1_000), turn, 2_000)
    expect(typeAtOnce(shown, turn, 2_001, 'y').ui.composing.composer.text).toBe('y')
  })

  test('is text where a letter has just got a meaning', () => {
    const lost: UiState = changePart(openUi, 'connection', { link: { kind: 'lost' } })
    const shown = seenAt(
      changePart(lost, 'keys', { shownPlaces: seenAt(openUi, turn, 1_000).keys.shownPlaces }),
      turn,
      2_000,
    )
    const early = typeAtOnce(shown, turn, 2_001, 'r')
    expect([early.ui.composing.composer.text, early.intents]).toEqual(['r', []])
    expect(typeAtOnce(shown, turn, 2_300, 'r').intents).toEqual([{ kind: 'restart' }])
  })
})

describe('Alt+Enter', () => {
  test.each([
    ['breaks the line when nothing runs', idle, 'one', 'one\n', 0],
    ['queues while a turn runs', turn, 'one', '', 1],
    ['queues while a command runs', shell, 'one', '', 1],
    ['breaks the line of a text with several', turn, 'one\ntwo', 'one\ntwo\n', 0],
  ] as const)('%s', (_, state, before, text, sent) => {
    const { ui, intents } = typeKeys(changePart(openUi, 'composing', { composer: written(before) }), state, 'alt+enter')
    expect({ text: ui.composing.composer.text, sent: intents.length }).toEqual({ text, sent })
  })
})

describe('? in an empty composer', () => {
  const titles = ({ notices }: UiState) => notices.flatMap((notice) => (notice.kind === 'table' ? [notice.title] : []))

  test('shows the keys of the composer, and where all of them are', () => {
    const { ui } = typeKeys(openUi, idle, '?')
    expect(titles(ui)).toEqual([
      'Anywhere',
      'In the composer',
      'In an empty composer',
      'Nothing runs',
      'A turn runs',
      'A command runs, yours or the model’s',
    ])
    expect(ui.notices.at(-1)).toMatchObject({ kind: 'note', text: expect.stringContaining('/keys') })
  })

  test('shows no more rows than a terminal has, where /keys lists every state', () => {
    const rows = usualKeyGroups().flatMap(({ rows }) => rows)
    expect(rows.length).toBeLessThanOrEqual(20)
    expect(titles(typeKeys(openUi, idle, '/keys', 'enter').ui)).toEqual(keyGroups().map(({ title }) => title))
  })

  test('is a character in any other text', () => {
    expect(typeKeys(openUi, idle, 'why', '?').ui.composing.composer.text).toBe('why?')
  })
})

describe('Ctrl+L in an empty composer', () => {
  test.each([
    ['nothing runs', idle],
    ['a turn runs', turn],
  ])('clears the window when %s, and begins no conversation', (_, state) => {
    expect(typeKeys(openUi, state, 'ctrl+l').intents).toEqual([{ kind: 'clear' }])
  })

  test('does nothing at a question', () => {
    expect(typeKeys(openUi, asking, 'ctrl+l').intents).toEqual([])
  })
})

describe('the table of keys', () => {
  test('has no key twice in one state under the same condition, but where one section is more specific', () => {
    const keys = keySections.flatMap(({ places, rows }) =>
      places.flatMap((place) =>
        rows.flatMap((row) => row.keys.map((key) => `${place} (of ${places.length}) ${key} ${row.when ?? ''}`)),
      ),
    )
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })

  test('has no editing key twice', () => {
    const keys = editingKeys.flatMap((row) => row.keys)
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })

  test.each([
    ['ctrl+a', 'Ctrl+A'],
    ['alt+enter', 'Alt+Enter'],
    ['ctrl+_', 'Ctrl+_'],
    ['up', '↑'],
    ['?', '?'],
    ['y', 'y'],
  ])('writes %s as %s', (chord, name) => {
    expect(keyName(chord)).toBe(name)
  })
})
