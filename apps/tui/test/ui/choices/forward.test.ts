import { forwardsEndedWords } from '@parley/presentation/commands/forward-words'
import { limitsWords } from '@parley/presentation/limits/limits-words'
import { lineText } from '@parley/presentation/text/span'
import { describe, expect, test } from 'vitest'
import type { UiState } from '../../../src/ui/state/ui-state.ts'
import { statusLine } from '../../../src/view/live/status-line.ts'
import { after } from '../../view/scenes/conversation.ts'
import { openUi } from '../../view/scenes/scene.ts'
import { typeKeys } from '../type-keys.ts'

const idle = after()
const forwards = [{ port: 8000, url: 'http://p8000-ab.localhost:8000/' }]
const open = after({ type: 'forwards.changed', forwards })
const press = (ui: UiState, ...keys: readonly string[]) => typeKeys(ui, idle, ...keys)

describe('/forward', () => {
  test('forwards a port after two Enters on the yes, which name what it means', () => {
    const asked = press(openUi, '/forward 8000', 'enter')
    expect(asked).toMatchObject({ intents: [], ui: { menu: { title: expect.stringContaining('port 8000') } } })
    const answered = (...keys: readonly string[]) => press(openUi, '/forward 8000', 'enter', ...keys)
    expect(answered('enter')).toMatchObject({ intents: [], ui: { menu: null } })
    expect(answered('escape')).toMatchObject({ intents: [], ui: { menu: null } })
    expect(answered('down', 'enter')).toMatchObject({ intents: [], ui: { menu: { confirming: '8000' } } })
    expect(answered('down', 'enter', 'enter').intents).toEqual([{ kind: 'forward', port: 8000 }])
  })

  test('ends one at once, and lists those there are', () => {
    expect(press(openUi, '/forward stop 8000', 'enter').intents).toEqual([{ kind: 'stopForward', port: 8000 }])
    const said = (state: typeof idle) => JSON.stringify(typeKeys(openUi, state, '/forward', 'enter').ui)
    expect(said(open)).toContain('http://p8000-ab.localhost:8000/')
    expect(said(idle)).toContain('No port is forwarded')
  })

  test.each(['0', '65536', '-1', '80a', 'stop', 'stop x', '8000 9000'])(
    'does nothing with %j but say how',
    (argument) => {
      const { ui, intents } = press(openUi, `/forward ${argument}`, 'enter')
      expect(intents).toEqual([])
      expect(ui.menu).toBeNull()
      expect(JSON.stringify(ui)).toContain('/forward stop PORT')
    },
  )
})

test('the end of the server that forwarded is said, and nothing else', () => {
  const by = { clientId: 'c', name: 'n' } as const
  expect(forwardsEndedWords({ type: 'forwards.changed', forwards: [] })).toContain('/forward PORT forwards one anew')
  expect(forwardsEndedWords({ type: 'forwards.changed', forwards: [], by })).toBeNull()
  expect(forwardsEndedWords({ type: 'forwards.changed', forwards })).toBeNull()
  expect(forwardsEndedWords({ type: 'conversation.renamed', name: 'n' })).toBeNull()
})

test('a forwarded port is on the status line at every width that has room for it', () => {
  const facts = {
    homeFolder: '/',
    branch: 'main',
    readOnly: null,
    own: null,
    clientCount: 2,
    backgroundCount: 1,
    isSafe: false,
  }
  const shown = (columns: number, own = null as null | [{ text: string }]) =>
    lineText(statusLine(open, { ...facts, own }, { columns }))
  for (const columns of [40, 80, 120]) expect(shown(columns)).toMatch(/asks.* · :8000 open/)
  expect(shown(80, [{ text: 'mine' }])).toContain(':8000 open')
  expect(limitsWords(open.core)).toMatch(/asks.* · :8000 open$/)
  expect(lineText(statusLine(idle, facts, { columns: 120 }))).not.toContain('open')
})
