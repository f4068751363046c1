import { describe, expect, test } from 'vitest'
import { matching } from '../../../src/ui/menu/menu.ts'
import type { UiState } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import { after } from '../../view/scenes/conversation.ts'
import { openUi } from '../../view/scenes/scene.ts'
import { contextAt, typeKeys } from '../type-keys.ts'

const idle = after()
const press = (ui: UiState, ...keys: readonly string[]) => typeKeys(ui, idle, ...keys)
const memory = { text: 'be brief', where: 'project', path: '/repo/AGENTS.md', hash: 'sha256:1' } as const
const planned = updateUi(openUi, { kind: 'rememberPlanned', memory }, contextAt(idle, 0)).ui

describe('/remember', () => {
  test('plans the line for the file of the project, and says what is missing without one', () => {
    expect(press(openUi, '/remember  be brief', 'enter').intents).toEqual([
      { kind: 'planRemember', text: 'be brief', where: 'project' },
    ])
    expect(press(openUi, '/remember', 'enter').intents).toEqual([])
  })

  test('writes what was shown after a choice only', () => {
    expect(planned.menu === null ? [] : matching(planned.menu).map(({ key }) => key)).toEqual([
      'nothing',
      'write',
      'other',
    ])
    expect(press(planned, 'enter')).toMatchObject({ intents: [], ui: { menu: null } })
    expect(press(planned, 'down', 'enter').intents).toEqual([{ kind: 'remember', memory }])
    expect(press(planned, 'escape').ui.menu).toBeNull()
  })

  test('looks at the file of the user instead, and back', () => {
    const other = press(planned, 'down', 'down', 'enter')
    expect(other.intents).toEqual([{ kind: 'planRemember', text: 'be brief', where: 'user' }])
    const own = { ...memory, where: 'user', path: '/home/ada/.parley/AGENTS.md' } as const
    const shown = updateUi(other.ui, { kind: 'rememberPlanned', memory: own }, contextAt(idle, 0)).ui
    expect(press(shown, 'down', 'down', 'enter').intents).toEqual([
      { kind: 'planRemember', text: 'be brief', where: 'project' },
    ])
  })
})

describe('/init', () => {
  test('sends the request for a draft as a message, with what matters', () => {
    const { ui, intents } = press(openUi, '/init the tests are slow', 'enter')
    const [sent] = ui.outbox.unsent
    expect(sent?.text).toMatch(/^Write an AGENTS\.md[\s\S]*What matters to me: the tests are slow$/)
    expect(intents).toEqual([{ kind: 'send', message: sent }])
  })

  test('sends nothing from a view', () => {
    const view = openUi.opened === null ? openUi : { ...openUi, opened: { ...openUi.opened, readOnly: true } }
    expect(press(view, '/init', 'enter').intents).toEqual([])
  })
})
