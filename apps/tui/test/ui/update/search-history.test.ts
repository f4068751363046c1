import { expect, test } from 'vitest'
import { changePart, type UiState } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import {
  after,
  command,
  completed,
  requested,
  started,
  turnEnded,
  turnStarted,
  userMessage,
} from '../../view/scenes/conversation.ts'
import { openUi, sceneOf, shown, written } from '../../view/scenes/scene.ts'
import { contextAt, typeKeys } from '../type-keys.ts'

const idle = after(completed(userMessage('fix the cart')), turnStarted, turnEnded())
const prompts = ['write docs', 'Make a cart', 'fix the cart', 'fix the tests']

/** The search with the prompts of all folders, after these keys. */
function searching(ui: UiState, ...keys: readonly string[]): UiState {
  const open = typeKeys(ui, idle, 'ctrl+r')
  expect(open.intents).toEqual([{ kind: 'recallAll' }])
  const recalled = updateUi(open.ui, { kind: 'recalledAll', prompts }, contextAt(idle, 0)).ui
  return typeKeys(recalled, idle, ...keys).ui
}

test('Ctrl+R searches what was sent in all folders, the newest first, and Enter takes it', () => {
  const found = searching(openUi, 'fix')
  expect(shown(sceneOf(idle, found))).toContain('› (search) fix▏: fix the cart')
  const older = typeKeys(found, idle, 'ctrl+r').ui
  expect(shown(sceneOf(idle, older))).toContain('› (search) fix▏: fix the tests')
  expect(typeKeys(older, idle, 'ctrl+r').ui.history.search).toEqual(older.history.search)
  expect(typeKeys(older, idle, 'ctrl+s').ui.history.search).toEqual(found.history.search)
  const taken = typeKeys(older, idle, 'enter')
  expect(taken).toMatchObject({
    ui: { composing: { composer: { text: 'fix the tests' } }, history: { search: null, allPrompts: [] } },
    intents: [],
  })
})

test('capital letters of a search count, small ones stand for both', () => {
  expect(typeKeys(searching(openUi, 'make'), idle, 'enter').ui.composing.composer.text).toBe('Make a cart')
  expect(typeKeys(searching(openUi, 'FIX'), idle, 'enter').ui.composing.composer.text).toBe('')
})

test('Escape leaves the draft, and taking a match lets undo bring it back', () => {
  const draft = changePart(openUi, 'composing', { composer: written('draft') })
  const left = typeKeys(searching(draft, 'docs'), idle, 'escape').ui
  expect(left).toMatchObject({ composing: { composer: { text: 'draft' } }, history: { search: null } })
  const taken = typeKeys(searching(draft, 'docs'), idle, 'ctrl+a').ui
  expect(taken.composing.composer.text).toBe('write docs')
  expect(typeKeys(taken, idle, 'ctrl+_').ui.composing.composer.text).toBe('draft')
})

test('a search that finds nothing says so, and goes on as its text is shortened', () => {
  const none = searching(openUi, 'carx')
  expect(shown(sceneOf(idle, none))).toContain('› (search: nothing found) carx▏:')
  expect(typeKeys(none, idle, 'enter').ui.composing.composer.text).toBe('')
  expect(shown(sceneOf(idle, typeKeys(none, idle, 'backspace').ui))).toContain('(search) car▏: fix the cart')
})

test('a question that comes meanwhile gets no key of the search', () => {
  const asking = after(turnStarted, started(command('make')), requested())
  const { ui, intents } = typeKeys(searching(openUi), asking, 'y', 'enter')
  expect({ intents, text: ui.composing.composer.text }).toEqual({ intents: [], text: '' })
})

test('a match that is a command shows no list until it is changed', () => {
  const ui = updateUi(searching(openUi), { kind: 'recalledAll', prompts: ['/sandbox '] }, contextAt(idle, 0)).ui
  const taken = typeKeys(ui, idle, 'sandb', 'enter').ui
  expect(shown(sceneOf(idle, taken))).not.toContain('workspace-write ')
})
