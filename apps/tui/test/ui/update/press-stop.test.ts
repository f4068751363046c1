import type { ConversationState } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { isOffered, type UiState } from '../../../src/ui/state/ui-state.ts'
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
import { changedUi, openUi, type UiChanges, written } from '../../view/scenes/scene.ts'
import { typeAtOnce, typeKeys } from '../type-keys.ts'

const states = {
  idle: after(completed(userMessage('first')), turnStarted, turnEnded()),
  turn: after(turnStarted, completed(userMessage('go'))),
  command: after(started({ ...shellCommand('sleep 100'), id: 's1' })),
  both: after(turnStarted, started({ ...shellCommand('sleep 100'), id: 's1' })),
  question: after(turnStarted, started(command('make')), requested()),
} as const satisfies Record<string, ConversationState>

const stopping: UiChanges = { work: { stoppingTurn: 't1' } }
const text: UiChanges = { composing: { composer: written('text') } }
const list: UiChanges = { composing: { composer: written('/s') } }
const note: UiChanges = {
  composing: { purpose: { kind: 'note', approvalId: 'a1' }, composer: written('use make') },
}

interface Outcome {
  readonly does: readonly string[]
  readonly text?: string
}

// biome-ignore format: a table
const presses: readonly (readonly [key: string, keyof typeof states, UiChanges, Outcome])[] = [
  ['ctrl+c', 'turn', text, { does: [], text: '' }],
  ['ctrl+c', 'command', text, { does: [], text: '' }],
  ['ctrl+c', 'turn', {}, { does: ['interrupt'] }],
  ['ctrl+c', 'turn', stopping, { does: ['offer'] }],
  ['ctrl+c', 'idle', {}, { does: ['offer'] }],
  ['ctrl+c', 'both', {}, { does: ['stopShell'] }],
  ['ctrl+c', 'question', {}, { does: ['interrupt'] }],
  ['escape', 'turn', list, { does: [], text: '/s' }],
  ['escape', 'command', list, { does: [], text: '/s' }],
  ['escape', 'turn', text, { does: ['interrupt'], text: 'text' }],
  ['escape', 'both', {}, { does: ['stopShell'] }],
  ['escape', 'question', {}, { does: ['interrupt'] }],
  ['escape', 'question', note, { does: [], text: '' }],
  ['escape', 'question', text, { does: [], text: 'text' }],
  ['escape', 'turn', stopping, { does: [] }],
  ['escape', 'idle', text, { does: [], text: 'text' }],
  ['ctrl+d', 'idle', {}, { does: ['leave'] }],
  ['ctrl+d', 'turn', {}, { does: ['leave'] }],
  ['ctrl+d', 'turn', text, { does: [], text: 'text' }],
  ['ctrl+d', 'turn', list, { does: [], text: '/s' }],
  ['shift+tab', 'turn', text, { does: ['configure'], text: 'text' }],
]

function outcome(key: string, state: ConversationState, fields: UiChanges): Required<Outcome> {
  const { ui, intents } = typeKeys(changedUi(openUi, fields), state, key)
  const offer = isOffered(ui.keys, 'offerToLeave', 11_000) ? ['offer'] : []
  return { does: [...intents.map(({ kind }) => kind), ...offer], text: ui.composing.composer.text }
}

describe('keys that stop', () => {
  test.each(presses)('%s in %s', (key, state, fields, { does, text: left = '' }) => {
    expect(outcome(key, states[state], fields)).toEqual({ does, text: left })
  })

  test('close what is open from the inside out', () => {
    const { question } = states
    const over = changedUi(openUi, list)
    const closedList = typeKeys(over, question, 'escape')
    expect(closedList).toMatchObject({ ui: { composing: { dismissed: '/s', writing: null } }, intents: [] })
    const closedComposer = typeKeys(closedList.ui, question, 'escape')
    expect(closedComposer).toMatchObject({
      ui: { composing: { writing: false, composer: { text: '/s' } } },
      intents: [],
    })
    expect(typeKeys(closedComposer.ui, question, 'escape').intents).toEqual([{ kind: 'interrupt', turnId: 't1' }])
  })
})

describe('Ctrl+C', () => {
  const press = (ui: UiState, state: ConversationState, atMs: number) => typeAtOnce(ui, state, atMs, 'ctrl+c')

  test('clears text, then stops the turn, then offers to leave, then leaves', () => {
    const { turn } = states
    const cleared = press(changedUi(openUi, text), turn, 1_000)
    const stopped = press(cleared.ui, turn, 1_100)
    const offered = press(stopped.ui, turn, 1_200)
    const left = press(offered.ui, turn, 3_200)
    expect([cleared, stopped, offered, left].map(({ intents }) => intents.map(({ kind }) => kind))).toEqual([
      [],
      ['interrupt'],
      [],
      ['leave'],
    ])
  })

  test('offers to leave anew after two seconds', () => {
    const offered = press(openUi, states.idle, 1_000)
    const again = press(offered.ui, states.idle, 3_001)
    expect(again.intents).toEqual([])
    expect(press(again.ui, states.idle, 5_001).intents).toEqual([{ kind: 'leave' }])
  })

  test.each(['escape', 'x'])('no longer leaves after %s', (key) => {
    const offered = press(openUi, states.idle, 1_000)
    const other = typeAtOnce(offered.ui, states.idle, 1_100, key, 'ctrl+c')
    expect(other.intents).toEqual([])
  })

  test('offers while the offer stands', () => {
    const { ui } = press(openUi, states.idle, 0)
    const offered = [2_000, 2_001].map((nowMs) => isOffered(ui.keys, 'offerToLeave', nowMs))
    expect([...offered, isOffered(openUi.keys, 'offerToLeave', 0)]).toEqual([true, false, false])
  })
})
