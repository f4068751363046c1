import { describe, expect, test } from 'vitest'
import { keyPress } from '../../src/ui/keys/key-event.ts'
import { loginRows, logoutRows } from '../../src/ui/menu/loaded-rows.ts'
import { type MenuRow, plainRow } from '../../src/ui/menu/menu.ts'
import { effortRows } from '../../src/ui/menu/setting-rows.ts'
import type { UiAction } from '../../src/ui/state/actions.ts'
import type { UiState } from '../../src/ui/state/ui-state.ts'
import { updateUi } from '../../src/ui/update/update-ui.ts'
import { after } from '../view/scenes/conversation.ts'
import { openUi } from '../view/scenes/scene.ts'
import { contextAt, typeAtOnce, typeKeys } from './type-keys.ts'

const idle = after()

function apply(ui: UiState, action: UiAction, atMs = 0) {
  return updateUi(ui, action, contextAt(idle, atMs))
}

function opened(...keys: readonly string[]): UiState {
  return typeKeys(openUi, idle, ...keys).ui
}

/** The same menu as if it had been open for long. */
function steady(ui: UiState): UiState {
  return ui.menu === null ? ui : { ...ui, menu: { ...ui.menu, changedAtMs: 0 } }
}

const listed = (conversationId: string, title: string, cwd = '/elsewhere') => ({
  conversationId,
  shortId: conversationId,
  cwd,
  title,
  name: null,
  createdAt: 0,
  updatedAt: 0,
  archived: false,
  forkedFrom: null,
  live: null,
})

describe('the menu of a setting', () => {
  test('has the value in force chosen, and Enter on it changes nothing', () => {
    const ui = opened('/approvals', 'enter')
    expect(ui.menu).toMatchObject({ kind: 'approvals', choice: 2 })
    const taken = typeKeys(steady(ui), idle, 'enter')
    expect({ menu: taken.ui.menu, intents: taken.intents }).toEqual({ menu: null, intents: [] })
  })

  test('of the effort marks what is in force where no level is set', () => {
    const [first, second] = effortRows({})
    expect([first, second]).toMatchObject([{ text: "the model's own", isCurrent: true }, { isCurrent: false }])
    expect(effortRows({ effort: 'low' }).filter(({ isCurrent }) => isCurrent)).toMatchObject([{ key: 'low' }])
  })

  test('gives the chosen value to the conversation', () => {
    const { ui, intents } = typeKeys(steady(opened('/effort', 'enter')), idle, 'low', 'enter')
    expect(ui.menu).toBeNull()
    expect(intents).toEqual([{ kind: 'configure', settings: { effort: 'low' } }])
  })

  test.each([
    ['/approvals', ['down'], { approvalPolicy: 'never' }],
    ['/sandbox', ['down'], { sandbox: 'danger-full-access' }],
  ])('takes fewer limits by %s with a second Enter only', (command, moves, settings) => {
    const first = typeKeys(steady(opened(command, 'enter')), idle, ...moves, 'enter')
    expect(first.intents).toEqual([])
    expect(first.ui.menu?.confirming).toBe(Object.values(settings)[0])
    expect(typeAtOnce(first.ui, idle, (first.ui.menu?.changedAtMs ?? 0) + 200, 'enter').intents).toEqual([])
    expect(typeKeys(steady(first.ui), idle, 'up', 'down', 'enter').intents).toEqual([])
    expect(typeKeys(steady(first.ui), idle, 'enter').intents).toEqual([{ kind: 'configure', settings }])
  })

  test.each([
    ['/sandbox', { sandbox: 'workspace-write' }, 'workspace-write', / parley resume \S+ -s danger-full-access$/],
    ['/approvals', { sandbox: 'danger-full-access' }, 'danger-full-access', / -s danger-full-access -a never$/],
  ] as const)('%s shows limits that the window was not started for with their command', (command, most, now, words) => {
    const settings = { sandbox: now } as const
    const state = after({ type: 'conversation.configured', settings })
    const ceiling = { ...most, neverWithFullAccess: false }
    const ui = { ...openUi, opened: openUi.opened === null ? null : { ...openUi.opened, ceiling } }
    const listed = typeKeys(ui, state, command, 'enter', 'end')
    expect(listed.ui.menu?.rows?.at(-1)?.detail).toMatch(words)
    expect(typeKeys(ui, state, command, 'enter', 'end', 'enter', 'enter').intents).toEqual([])
  })

  test('takes narrower limits at once', () => {
    const { intents } = typeKeys(steady(opened('/sandbox', 'enter')), idle, 'up', 'enter')
    expect(intents).toEqual([{ kind: 'configure', settings: { sandbox: 'read-only' } }])
  })

  test('closes on Escape', () => {
    expect(typeKeys(opened('/sandbox', 'enter'), idle, 'escape').ui.menu).toBeNull()
  })

  test('moves to both ends by Home and End, and by pages', () => {
    const press = (ui: UiState, name: string) => apply(ui, { kind: 'key', event: keyPress(name) }).ui
    const end = press(opened('/effort', 'enter'), 'end')
    expect(end.menu?.choice).toBe(5)
    expect(press(end, 'home').menu?.choice).toBe(0)
    expect(press(press(end, 'pageup'), 'pagedown').menu?.choice).toBe(5)
  })
})

describe('the menu of models', () => {
  const rows = [
    { ...plainRow, key: 'openai gpt-5', text: 'gpt-5', detail: 'openai', isCurrent: true },
    { ...plainRow, key: 'openai gpt-5-mini', text: 'gpt-5-mini', detail: 'openai' },
    { ...plainRow, key: 'anthropic', text: 'anthropic', detail: 'did not answer', isDisabled: true },
  ]
  const fill = { kind: 'menuFilled', menu: 'model', rows, problem: null } as const
  const filled = apply(opened('/model', 'enter'), fill).ui

  test('is asked of the server, and takes a model with its provider', () => {
    expect(typeKeys(openUi, idle, '/model', 'enter').intents).toEqual([{ kind: 'models' }])
    expect(typeKeys(filled, idle, 'mini', 'enter').intents).toEqual([
      { kind: 'configure', settings: { modelProvider: 'openai', model: 'gpt-5-mini' } },
    ])
  })

  test('keeps what is chosen when the providers have answered', () => {
    const chosen = typeKeys(filled, idle, 'down').ui
    const refreshed = apply(chosen, {
      ...fill,
      rows: [{ ...plainRow, key: 'openai o9', text: 'o9', detail: 'openai' }, ...rows],
    }).ui
    expect(typeKeys(refreshed, idle, 'enter').intents).toEqual([
      { kind: 'configure', settings: { modelProvider: 'openai', model: 'gpt-5-mini' } },
    ])
  })

  test('takes no row that cannot be used', () => {
    const { ui, intents } = typeKeys(filled, idle, 'did not', 'enter')
    expect({ intents, isOpen: ui.menu !== null }).toEqual({ intents: [], isOpen: true })
  })

  test('takes a typed name that no provider lists', () => {
    expect(typeKeys(filled, idle, 'o9', 'enter').intents).toEqual([{ kind: 'configure', settings: { model: 'o9' } }])
  })

  test('is not taken by an Enter that was meant for an empty list', () => {
    const late = apply(opened('/model', 'enter'), fill, 10_000).ui
    expect(typeAtOnce(late, idle, 10_200, 'down', 'enter').intents).toEqual([])
    expect(typeAtOnce(late, idle, 10_400, 'down', 'enter').intents).toHaveLength(1)
  })

  test('closes when the server is lost', () => {
    expect(apply(filled, { kind: 'lost' }).ui.menu).toBeNull()
  })

  test('is left alone by rows that come when it is closed', () => {
    expect(apply(openUi, fill).ui.menu).toBeNull()
  })
})

describe('the menu of conversations', () => {
  const folder = '/home/ada/shop'
  const conversations = [listed('a', 'Write docs'), listed('b', 'Fix the cart', folder), listed('d', 'Add a test')]
  const open = apply(openUi, { kind: 'pick', liveOnly: false, folder })
  const filled = apply(open.ui, { kind: 'listed', conversations, archived: false })

  test('has those of the folder, and with Tab all', () => {
    expect(typeKeys(filled.ui, idle, 'enter').intents).toEqual([{ kind: 'open', conversationId: 'b' }])
    const all = typeKeys(filled.ui, idle, 'tab')
    expect(all.ui.menu?.isFolderOnly).toBe(false)
    expect(typeKeys(all.ui, idle, 'down', 'down', 'enter').intents.at(-1)).toEqual({
      kind: 'open',
      conversationId: 'd',
    })
  })

  test('has all where the folder has none', () => {
    const elsewhere = apply(openUi, { kind: 'pick', liveOnly: false, folder: '/empty' }).ui
    expect(apply(elsewhere, { kind: 'listed', conversations, archived: false }).ui.menu?.isFolderOnly).toBe(false)
  })

  test('reads the end of the chosen conversation, one at a time and each once', () => {
    expect(filled.intents).toEqual([{ kind: 'preview', conversationId: 'b' }])
    const moving = typeKeys(filled.ui, idle, 'tab', 'down', 'down')
    expect(moving.intents).toEqual([])
    const next = apply(moving.ui, { kind: 'previewed', conversationId: 'b', lines: ['Done.'] })
    expect(next.intents).toEqual([{ kind: 'preview', conversationId: 'd' }])
    const last = apply(next.ui, { kind: 'previewed', conversationId: 'd', lines: [] })
    expect(typeKeys(last.ui, idle, 'up').intents).toEqual([])
  })
})

describe('the lists of logins', () => {
  const about = { wire: 'chat', baseUrl: '', origin: 'configured' as const, chosen: false, variables: [] }
  const providers = [
    { ...about, id: 'local', name: 'Local', key: 'notNeeded' as const },
    { ...about, id: 'gate', name: 'Gate', key: 'missing' as const },
    { ...about, id: 'work', name: 'Work', key: 'kept' as const, hasOAuth: true as const },
    { ...about, id: 'env', name: 'Env', key: 'set' as const, keyFrom: 'ENV_KEY' },
  ]
  const filled = (ui: UiState, menu: 'login' | 'logout', rows: readonly MenuRow[]) =>
    steady(apply(ui, { kind: 'menuFilled', menu, rows, problem: null }).ui)

  test('begin with the provider in use, and leave out those that need no key', () => {
    const rows = loginRows({ providers, chosen: null }, { modelProvider: 'work' })
    expect(rows.map(({ key, detail }) => `${key}: ${detail}`)).toEqual([
      'work browser: Work · logged in; a new key takes its place · in a browser',
      'work key: Work · logged in; a new key takes its place',
      'gate key: Gate · no key yet',
      'env key: Env · ENV_KEY is set and goes before a kept key',
    ])
  })

  test('find the provider that was named, and lend the terminal for the login', () => {
    const { ui, intents } = typeKeys(openUi, idle, '/login work', 'enter')
    expect(intents).toEqual([{ kind: 'logins', menu: 'login' }])
    expect(ui.menu).toMatchObject({ kind: 'login', filter: { text: 'work' } })
    const taken = typeKeys(filled(ui, 'login', loginRows({ providers, chosen: null }, null)), idle, 'enter')
    expect(taken.intents).toEqual([{ kind: 'logIn', provider: 'work', way: 'browser' }])
    expect(taken.ui.menu).toBeNull()
  })

  test('forget a login after a second Enter only, and not one that a variable holds', () => {
    const login = { name: 'Gate', kind: 'key' as const, variable: null }
    const rows = logoutRows({
      logins: [
        { ...login, provider: 'gate', keptIn: 'file' },
        { ...login, provider: 'env', keptIn: null, variable: 'ENV_KEY' },
      ],
    })
    expect(rows.map(({ key }) => key)).toEqual(['gate'])
    const first = typeKeys(filled(opened('/logout', 'enter'), 'logout', rows), idle, 'enter')
    expect(first).toMatchObject({ intents: [], ui: { menu: { confirming: 'gate' } } })
    expect(typeKeys(steady(first.ui), idle, 'enter').intents).toEqual([{ kind: 'logOut', provider: 'gate' }])
  })
})
