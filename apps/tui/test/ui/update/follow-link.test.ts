import { describe, expect, test } from 'vitest'
import { keyPress } from '../../../src/ui/keys/key-event.ts'
import { changePart, type UiState } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import { after, completed, turnStarted, userMessage } from '../../view/scenes/conversation.ts'
import { openUi, written } from '../../view/scenes/scene.ts'
import { contextAt, typeKeys } from '../type-keys.ts'

const idle = after()
const running = after(turnStarted, completed(userMessage('go')))
const lastNotice = ({ notices }: UiState) => JSON.stringify(notices.at(-1))

const opened = {
  conversationId: 'c',
  shortId: 's',
  readOnly: false,
  onlyWatches: false,
  attached: false,
  ephemeral: false,
}

describe('a server that ends', () => {
  const end = (ui: UiState, atMs: number) => updateUi(ui, { kind: 'lost' }, contextAt(idle, atMs))

  test('is started again by itself, which keeps the text and says so', () => {
    const { ui, intents } = end(changePart(openUi, 'composing', { composer: written('kept') }), 0)
    expect(intents).toEqual([{ kind: 'restart' }])
    expect({ link: ui.connection.link.kind, text: ui.composing.composer.text }).toEqual({
      link: 'starting',
      text: 'kept',
    })
    expect(lastNotice(ui)).toContain('The server ended and is being started again.')
  })

  test('waits for a key when it ends again within a minute', () => {
    const again = end(end(openUi, 0).ui, 59_000)
    expect({ link: again.ui.connection.link.kind, intents: again.intents }).toEqual({ link: 'lost', intents: [] })
    expect(end(end(openUi, 0).ui, 60_000).intents).toEqual([{ kind: 'restart' }])
  })

  test.each([
    ['had not opened anything', { opened: null }],
    ['alone had the conversation', { opened: { ...opened, ephemeral: true } }],
    ['is that of another window, which this one watches', { opened: { ...opened, onlyWatches: true } }],
  ])('waits for a key when it %s', (_, ui) => {
    expect(updateUi({ ...openUi, ...ui }, { kind: 'lost' }, contextAt(running, 0)).intents).toEqual([])
  })
})

describe('a server that another one took the conversation from', () => {
  const taken = updateUi(openUi, { kind: 'lost', reason: 'taken' }, contextAt(running, 0))

  test('is started again by a key only', () => {
    expect(taken.intents).toEqual([])
    expect(typeKeys(taken.ui, running, 'r').intents).toEqual([{ kind: 'restart' }])
  })
})

test('a connection whose token no server accepts is made again by a key only', () => {
  const rejected = updateUi(openUi, { kind: 'lost', reason: 'rejected' }, contextAt(running, 0))
  expect(rejected.intents).toEqual([])
  expect(typeKeys(rejected.ui, running, 'r').intents).toEqual([{ kind: 'restart' }])
})

describe('a server that hangs', () => {
  const hanging = updateUi(openUi, { kind: 'hangs', hangs: true }, contextAt(running, 0)).ui

  test('is started anew by Ctrl+R, and waited for by Escape', () => {
    expect(typeKeys(hanging, running, 'ctrl+r').intents).toEqual([{ kind: 'restart' }])
    const waiting = typeKeys(hanging, running, 'escape')
    expect({ hangs: waiting.ui.connection.hangs, intents: waiting.intents }).toEqual({ hangs: false, intents: [] })
  })

  test('is left alone by Ctrl+R that goes on with a search', () => {
    const searching = typeKeys(changePart(openUi, 'history', { earlierPrompts: ['fix it'] }), idle, 'ctrl+r').ui
    expect(searching.history.search).not.toBeNull()
    expect(typeKeys(changePart(searching, 'connection', { hangs: true }), idle, 'ctrl+r').intents).toEqual([])
  })

  test('leaves letters to the message', () => {
    expect(typeKeys(hanging, running, 'r').ui.composing.composer.text).toBe('r')
  })
})

describe('a lost server', () => {
  const lost: UiState = changePart(openUi, 'connection', { link: { kind: 'lost' } })

  test('is restarted by r on an empty line, and by Ctrl+R always', () => {
    expect(typeKeys(lost, idle, 'r').intents).toEqual([{ kind: 'restart' }])
    expect(
      typeKeys(changePart(lost, 'composing', { composer: written('o') }), idle, 'r').ui.composing.composer.text,
    ).toBe('or')
    expect(typeKeys(changePart(lost, 'composing', { composer: written('o') }), idle, 'ctrl+r').intents).toEqual([
      { kind: 'restart' },
    ])
  })

  test.each([
    ['a note', { kind: 'note', approvalId: 'a1' } as const],
    ['an edited message', { kind: 'edit', messageId: 'm1' } as const],
  ])('gets no request: %s stays in the composer', (_, purpose) => {
    const ui = changePart(lost, 'composing', { purpose, composer: written('use trash') })
    const { ui: after, intents } = updateUi(ui, { kind: 'key', event: keyPress('enter') }, contextAt(idle, 10_000))
    const { composer } = after.composing
    const { answeredApproval } = after.answering
    expect({ text: composer.text, purpose: after.composing.purpose, answeredApproval, intents }).toEqual({
      text: 'use trash',
      purpose,
      answeredApproval: null,
      intents: [],
    })
  })

  test('gets unacknowledged messages again, under the same id', () => {
    const { ui } = typeKeys(openUi, idle, 'hello', 'enter')
    const step = updateUi(
      ui,
      {
        kind: 'opened',
        opened: {
          conversationId: 'c',
          shortId: 's',
          readOnly: false,
          onlyWatches: false,
          attached: false,
          ephemeral: false,
        },
      },
      contextAt(null, 0),
    )
    expect(step.intents).toMatchObject([{ kind: 'send', message: { messageId: 'id-11000' } }])
  })
})
