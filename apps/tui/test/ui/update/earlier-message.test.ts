import { describe, expect, test } from 'vitest'
import { sentMessages } from '../../../src/ui/earlier-message.ts'
import { changePart, type UiState } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import {
  after,
  answer,
  completed,
  delta,
  started,
  turnEnded,
  turnStarted,
  userMessage,
} from '../../view/scenes/conversation.ts'
import { openUi, sceneOf, shown, written } from '../../view/scenes/scene.ts'
import { contextAt, rest, seenAt, typeAtOnce, typeKeys } from '../type-keys.ts'

const idle = after(
  completed(userMessage('first question')),
  turnStarted,
  completed(answer('an answer')),
  completed(userMessage('second\nquestion')),
  turnEnded(),
)
const escapeTwice = (ui: UiState, gapMs: number) => {
  const once = typeAtOnce(ui, idle, 1_000, 'escape')
  return { once, twice: typeAtOnce(rest(once, idle, 1_000 + gapMs).ui, idle, 1_000 + gapMs, 'escape') }
}

describe('Escape twice, idle and empty', () => {
  test('lists own messages, the newest first', () => {
    const { once, twice } = escapeTwice(openUi, 400)
    const offered = { ...sceneOf(idle, once.ui), nowMs: 1_500 }
    expect(shown(offered)).toContain('Esc again: go back to an earlier message')
    expect(twice.ui.menu).toMatchObject({
      kind: 'messages',
      rows: [{ text: 'second' }, { text: 'first question', detail: '1 message after it' }],
    })
  })

  test('forks before the chosen one and puts its text in the composer', () => {
    const { twice } = escapeTwice(openUi, 400)
    const { ui, intents } = typeKeys(twice.ui, idle, 'down', 'enter')
    expect(intents).toEqual([{ kind: 'fork', conversationId: 'c', before: { seq: 2, turnId: 't1' } }])
    expect({ text: ui.composing.composer.text, menu: ui.menu }).toEqual({ text: 'first question', menu: null })
  })

  test('lists messages older than the state has, once they are read, and the choice stays', () => {
    const { twice } = escapeTwice(openUi, 400)
    expect(twice.intents).toEqual([])
    const [first, second] = idle.window
    const shortened = { ...idle, window: idle.window.slice(2) }
    const once = typeAtOnce(openUi, shortened, 1_000, 'escape')
    const opened = typeAtOnce(rest(once, shortened, 1_400).ui, shortened, 1_400, 'escape')
    expect(opened.intents).toEqual([{ kind: 'olderMessages', before: shortened.window[0]?.seq }])
    const messages = sentMessages([first, second].flatMap((entry) => entry ?? []))
    const read = updateUi(opened.ui, { kind: 'olderRead', messages }, contextAt(shortened, 1_500))
    expect(read.ui.menu).toMatchObject({ choice: 0, rows: [{ text: 'second' }, { text: 'first question' }] })
    const { ui, intents } = typeKeys(read.ui, shortened, 'down', 'enter')
    expect(intents).toMatchObject([{ kind: 'fork', before: { seq: first?.seq } }])
    expect(ui.composing.composer.text).toBe('first question')
  })

  test('does nothing after a second, with another key between, or with text', () => {
    expect(escapeTwice(openUi, 1_001).twice.ui.menu).toBeNull()
    expect(typeAtOnce(openUi, idle, 1_000, 'escape', 'a', 'backspace', 'escape').ui.menu).toBeNull()
    expect(escapeTwice(changePart(openUi, 'composing', { composer: written('text') }), 400).twice.ui.menu).toBeNull()
    expect(typeAtOnce(openUi, after(), 1_000, 'escape', 'escape').ui.menu).toBeNull()
  })

  test('does nothing right after a turn has ended', () => {
    const running = after(turnStarted, completed(userMessage('go')))
    const shownIdle = seenAt(seenAt(openUi, running, 0), idle, 1_000)
    expect(typeAtOnce(shownIdle, idle, 1_100, 'escape', 'escape').ui.menu).toBeNull()
  })
})

describe('Escape right after sending', () => {
  const sent = typeAtOnce(openUi, after(), 1_000, 'go', 'enter')
  const message = { ...userMessage('go'), messageId: 'id-1000' }
  const waiting = after(turnStarted, completed(message))

  test('stops the turn and takes the message back', () => {
    const { ui, intents } = typeKeys(sent.ui, waiting, 'escape')
    expect(intents).toEqual([{ kind: 'interrupt', turnId: 't1' }])
    expect({ text: ui.composing.composer.text, lastSent: ui.outbox.lastSent }).toEqual({ text: 'go', lastSent: null })
  })

  test('puts it before what has been written since', () => {
    expect(typeKeys(sent.ui, waiting, 'more', 'escape').ui.composing.composer.text).toBe('go\nmore')
  })

  test('has its effect without a pause: the turn it stops is the one just begun', () => {
    const shownTurn = seenAt(sent.ui, waiting, 1_050)
    expect(typeAtOnce(shownTurn, waiting, 1_060, 'escape').intents).toHaveLength(1)
  })

  test('only stops the turn once something of the answer has come', () => {
    const answering = after(turnStarted, completed(message), started(answer('', 'm1', 'inProgress')), delta('m1', 'So'))
    const { ui, intents } = typeKeys(sent.ui, answering, 'escape')
    expect({ text: ui.composing.composer.text, intents }).toEqual({
      text: '',
      intents: [{ kind: 'interrupt', turnId: 't1' }],
    })
  })

  test('takes back what waits for the server', () => {
    const starting: UiState = {
      ...openUi,
      connection: { ...openUi.connection, link: { kind: 'starting' } },
      opened: null,
    }
    const held = typeAtOnce(starting, null, 1_000, 'early', 'enter', 'escape')
    expect({ text: held.ui.composing.composer.text, unsent: held.ui.outbox.unsent }).toEqual({
      text: 'early',
      unsent: [],
    })
  })
})

test('exit as a word leaves, and in a sentence does not', () => {
  expect(typeKeys(openUi, idle, ' exit ', 'enter').intents).toEqual([{ kind: 'leave' }])
  expect(typeKeys(openUi, idle, 'exit code 3?', 'enter').intents).toMatchObject([{ kind: 'send' }])
})

test('Ctrl+G opens the text in an editor, whose text replaces it and can be undone', () => {
  const { ui, intents } = typeKeys(changePart(openUi, 'composing', { composer: written('draft') }), idle, 'ctrl+g')
  expect(intents).toEqual([{ kind: 'editText', text: 'draft' }])
  const edited = updateUi(ui, { kind: 'edited', text: 'longer\ndraft\n' }, contextAt(idle, 0)).ui
  expect(edited.composing.composer).toMatchObject({ text: 'longer\ndraft', caret: 12 })
  expect(typeKeys(edited, idle, 'ctrl+_').ui.composing.composer.text).toBe('draft')
})
