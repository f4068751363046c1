import { describe, expect, test } from 'vitest'
import { keyPress } from '../../../src/ui/keys/key-event.ts'
import { matching } from '../../../src/ui/menu/menu.ts'
import type { UiAction } from '../../../src/ui/state/actions.ts'
import type { UiState } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import { after } from '../../view/scenes/conversation.ts'
import { openUi } from '../../view/scenes/scene.ts'
import { contextAt, typeKeys } from '../type-keys.ts'

const idle = after()
const folder = '/home/ada/shop'

const listed = (conversationId: string, title: string, cwd = '/elsewhere') => ({
  ...{ conversationId, shortId: conversationId, cwd, title, name: null, createdAt: 0, updatedAt: 0 },
  ...{ archived: false, forkedFrom: null, live: null },
})

const apply = (ui: UiState, action: UiAction) => updateUi(ui, action, contextAt(idle, 10_000))
const press = (ui: UiState, ...keys: readonly string[]) => typeKeys(ui, idle, ...keys)
/** The same list as if it had been shown for long. */
const steady = (ui: UiState): UiState => ({ ...ui, menu: ui.menu === null ? null : { ...ui.menu, changedAtMs: 0 } })
const keysIn = (ui: UiState) => (ui.menu === null ? [] : matching(ui.menu).map(({ key }) => key))

const del = { kind: 'key', event: keyPress('delete') } as const
const conversations = [listed('a', 'Write docs'), listed('b', 'Fix the cart', folder), listed('d', 'Add a test')]
const open = apply(openUi, { kind: 'pick', liveOnly: false, folder }).ui
const filled = apply(open, { kind: 'listed', conversations, archived: false }).ui

describe('the list of conversations', () => {
  test('shows those of the folder, of all folders, archived ones, and again those of the folder by Tab', () => {
    expect(keysIn(filled)).toEqual(['b'])
    const all = press(filled, 'tab').ui
    expect(keysIn(all)).toEqual(['a', 'b', 'd'])
    const archived = press(all, 'tab')
    expect(archived).toMatchObject({ intents: [{ kind: 'list', archived: true }], ui: { menu: { rows: null } } })
    // An answer to the earlier question is none to this one.
    expect(apply(archived.ui, { kind: 'listed', conversations, archived: false }).ui.menu?.rows).toBeNull()
    const shown = apply(archived.ui, { kind: 'listed', conversations: [listed('z', 'Old')], archived: true }).ui
    expect(keysIn(shown)).toEqual(['z'])
    const back = press(shown, 'tab')
    expect(back.intents).toEqual([{ kind: 'list', archived: false }])
    expect(keysIn(apply(back.ui, { kind: 'listed', conversations, archived: false }).ui)).toEqual(['b'])
  })

  test('names the chosen one in place of the filter, which comes back', () => {
    const { ui } = press(filled, 'tab', 'te', 'down', 'ctrl+r')
    expect(ui.menu?.filter.text).toBe('Add a test')
    expect(keysIn(press(ui, ' now').ui)).toEqual(['a', 'd'])
    const named = press(ui, ' now', 'enter')
    expect(named.intents.at(-1)).toEqual({
      kind: 'changeListed',
      conversationId: 'd',
      change: { kind: 'rename', name: 'Add a test now' },
      archived: false,
    })
    expect(named.ui.menu?.filter.text).toBe('te')
    const left = press(ui, ' now', 'escape').ui
    expect(left.menu).toMatchObject({ filter: { text: 'te' }, picker: { doing: null } })
    expect(press(left, 'escape').ui.menu).toBeNull()
  })

  test('archives the chosen one, and puts an archived one back', () => {
    const change = (kind: string, archived: boolean, conversationId: string) => [
      { kind: 'changeListed', conversationId, change: { kind }, archived },
    ]
    expect(press(filled, 'ctrl+x').intents).toEqual(change('archive', false, 'b'))
    const archived = press(filled, 'tab', 'tab').ui
    const shown = apply(archived, { kind: 'listed', conversations: [listed('z', 'Old')], archived: true }).ui
    expect(press(shown, 'ctrl+x').intents).toEqual(change('unarchive', true, 'z'))
  })

  test('deletes the chosen one after Enter only, and not the one that is open', () => {
    const asked = apply(filled, del)
    expect(asked).toMatchObject({ intents: [], ui: { menu: { picker: { doing: { kind: 'delete' } } } } })
    const later = steady(asked.ui)
    expect(press(later, 'enter').intents).toEqual([
      { kind: 'changeListed', conversationId: 'b', change: { kind: 'delete' }, archived: false },
    ])
    expect(press(later, 'escape', 'enter').intents).toEqual([{ kind: 'open', conversationId: 'b' }])
    expect(press(later, 'up', 'enter').intents).toEqual([{ kind: 'open', conversationId: 'b' }])
    const opened = { ...openUi.opened, conversationId: 'b' }
    const ofOpen = apply(
      { ...open, ...(openUi.opened === null ? {} : { opened: { ...openUi.opened, ...opened } }) },
      {
        kind: 'listed',
        conversations: [listed('b', 'This one', folder)],
        archived: false,
      },
    ).ui
    expect(apply(ofOpen, del).ui.menu?.picker?.doing).toBeNull()
  })

  test('deletes a letter of the filter where the caret is before one', () => {
    const { ui } = apply(press(filled, 'cart', 'ctrl+a').ui, del)
    expect(ui.menu).toMatchObject({ filter: { text: 'art' }, picker: { doing: null } })
  })

  test('takes the name of a key that is typed at once as words', () => {
    const { ui } = press(filled, 'delete')
    expect(ui.menu).toMatchObject({ filter: { text: 'delete' }, picker: { doing: null } })
  })

  test('keeps its place when the chosen one is gone', () => {
    const second = press(filled, 'tab', 'down').ui
    const gone = conversations.filter(({ conversationId }) => conversationId !== 'b')
    const { ui } = apply(second, { kind: 'listed', conversations: gone, archived: false })
    expect(press(steady(ui), 'enter').intents.at(-1)).toEqual({ kind: 'open', conversationId: 'd' })
  })

  test('has conversations whose texts have the words, asked for one search at a time', () => {
    const first = press(filled, 'tab', 'k')
    expect(first.intents).toEqual([])
    const sought = press(first.ui, 'af')
    expect(sought.intents).toEqual([{ kind: 'searchTexts', query: 'kaf', archived: false }])
    const typed = press(sought.ui, 'ka')
    expect(typed.intents).toEqual([])
    const place = { listed: listed('d', 'Add a test'), place: 'the kafka client' }
    const answered = apply(typed.ui, { kind: 'textsFound', query: 'kaf', found: [place] })
    expect(answered.intents).toEqual([{ kind: 'searchTexts', query: 'kafka', archived: false }])
    expect(keysIn(answered.ui)).toEqual([])
    const older = { listed: listed('x', 'One that is not listed'), place: 'kafka' }
    const { ui } = apply(answered.ui, { kind: 'textsFound', query: 'kafka', found: [place, older] })
    expect(keysIn(ui)).toEqual(['d', 'x'])
    expect(press(ui, 'down', 'enter').intents.at(-1)).toEqual({ kind: 'open', conversationId: 'x' })
  })
})
