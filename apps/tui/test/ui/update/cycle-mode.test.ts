import { modeOf, type SandboxMode, type SettingsPatch } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { changePart, type UiState } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import { after, command, requested, started, turnStarted } from '../../view/scenes/conversation.ts'
import { openUi, written } from '../../view/scenes/scene.ts'
import { contextAt, seenAt, typeAtOnce, typeKeys } from '../type-keys.ts'

const pairs = {
  ask: { approvalPolicy: 'untrusted', sandbox: 'workspace-write' },
  edit: { approvalPolicy: 'on-request', sandbox: 'workspace-write' },
  plan: { approvalPolicy: 'on-request', sandbox: 'read-only' },
} as const satisfies Record<string, SettingsPatch>

const configured = (settings: SettingsPatch) => ({ type: 'conversation.configured', settings }) as const

const inMode = (settings: SettingsPatch) => after(configured(settings))

function under(sandbox: SandboxMode): UiState {
  const { opened } = openUi
  return opened === null
    ? openUi
    : { ...openUi, opened: { ...opened, ceiling: { sandbox, neverWithFullAccess: false } } }
}

function pressed(ui: UiState, settings: SettingsPatch) {
  return typeKeys(ui, inMode(settings), 'shift+tab').intents
}

describe('Shift+Tab in the composer', () => {
  test.each([
    [pairs.ask, pairs.edit],
    [pairs.edit, pairs.plan],
    [pairs.plan, pairs.ask],
    [{ approvalPolicy: 'never', sandbox: 'workspace-write' }, pairs.ask],
  ] as const)('in %j takes %j, and keeps what is written', (now, next) => {
    const step = typeKeys(changePart(openUi, 'composing', { composer: written('half') }), inMode(now), 'shift+tab')
    expect(step.intents).toEqual([{ kind: 'configure', settings: next, isShown: true }])
    expect(step.ui.composing.composer.text).toBe('half')
  })

  test('leaves out what the server was not started for, and says so where it allows no other', () => {
    const [only] = pressed(under('read-only'), { approvalPolicy: 'untrusted', sandbox: 'read-only' })
    expect(only).toEqual({ kind: 'configure', settings: pairs.plan, isShown: true })
    const step = typeKeys(under('read-only'), inMode(pairs.plan), 'shift+tab')
    expect(step.intents).toEqual([])
    expect(step.ui.notices.at(-1)).toMatchObject({ text: expect.stringMatching(/no other mode.*-s workspace-write$/) })
  })

  test('never takes full access', () => {
    const found = [
      pairs.ask,
      pairs.edit,
      pairs.plan,
      { approvalPolicy: 'never', sandbox: 'danger-full-access' } as const,
    ]
      .flatMap((now) => pressed(under('danger-full-access'), now))
      .map((intent) => (intent.kind === 'configure' ? intent.settings.sandbox : null))
    expect(found).toEqual(['workspace-write', 'read-only', 'workspace-write', 'workspace-write'])
  })

  test('does nothing for 300 ms after another client has changed the limits', () => {
    const by = { clientId: 'c9', name: 'editor', title: 'an editor' }
    const event = { ...configured(pairs.plan), by }
    const shown = seenAt(openUi, inMode(pairs.plan), 1_000)
    const { ui } = updateUi(shown, { kind: 'configured', event }, contextAt(inMode(pairs.plan), 2_000))
    expect(ui.notices.at(-1)).toMatchObject({ text: expect.stringContaining('Mode: plan, Sandbox: read-only') })
    expect(typeAtOnce(ui, inMode(pairs.plan), 2_299, 'shift+tab').intents).toEqual([])
    expect(typeAtOnce(ui, inMode(pairs.plan), 2_300, 'shift+tab').intents).toHaveLength(1)
  })

  test('does nothing at a question, in a menu and without a server', () => {
    const asking = after(turnStarted, started(command('make')), requested())
    expect(typeKeys(openUi, asking, 'shift+tab').intents).toEqual([])
    expect(typeKeys(openUi, inMode(pairs.edit), '/mode', 'enter', 'shift+tab').intents).toEqual([])
    expect(
      typeKeys(changePart(openUi, 'connection', { link: { kind: 'lost' } }), inMode(pairs.edit), 'shift+tab').intents,
    ).toEqual([])
  })

  test('says why it does nothing in a window that only watches', () => {
    const { opened } = openUi
    const watching = opened === null ? openUi : { ...openUi, opened: { ...opened, onlyWatches: true } }
    const step = typeKeys(watching, inMode(pairs.edit), 'shift+tab')
    expect([step.intents, step.ui.notices.at(-1)]).toEqual([
      [],
      expect.objectContaining({ text: expect.stringContaining('only watches') }),
    ])
  })
})

describe('/mode', () => {
  const menuOf = (ui: UiState, settings: SettingsPatch) =>
    typeKeys(ui, inMode(settings), '/mode', 'enter').ui.menu?.rows

  test('opens the modes with the one in force, and warns of a wider sandbox', () => {
    const rows = menuOf(openUi, pairs.plan)?.map(({ key, isCurrent, warning }) => [key, isCurrent, warning !== null])
    expect(rows).toEqual([
      ['ask', false, true],
      ['edit', false, true],
      ['plan', true, false],
    ])
  })

  test('says of a mode above the ceiling how to get it', () => {
    const rows = menuOf(under('read-only'), pairs.plan)?.map(({ key, isDisabled }) => [key, isDisabled])
    expect(rows).toEqual([
      ['ask', true],
      ['edit', true],
      ['plan', false],
    ])
  })

  test('with a word that is no mode changes nothing and names the choices', () => {
    const step = typeKeys(openUi, inMode(pairs.edit), '/mode yolo', 'enter')
    expect(step.intents).toEqual([])
    expect(step.ui.notices.at(-1)).toMatchObject({
      text: expect.stringContaining('Mode: edit. Choices: ask, edit, plan.'),
    })
  })
})

test('the pairs of this test are the modes', () => {
  expect(Object.values(pairs).map(modeOf)).toEqual(Object.keys(pairs))
})
