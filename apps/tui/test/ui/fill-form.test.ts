import { describe, expect, test } from 'vitest'
import { changePart } from '../../src/ui/state/ui-state.ts'
import { followState, updateUi } from '../../src/ui/update/update-ui.ts'
import {
  after,
  colleague,
  elicitation,
  executionStarted,
  requested,
  started,
  toolCall,
  turnStarted,
} from '../view/scenes/conversation.ts'
import { openUi } from '../view/scenes/scene.ts'
import { contextAt, seenAt, typeAtOnce, typeKeys } from './type-keys.ts'

const call = [turnStarted, started(toolCall('create_issue')), executionStarted('l1')]
const asking = after(...call, elicitation)
const decided = (answers: object) => [{ kind: 'decide', approvalId: 'a1', decision: 'approved', answers }]

describe('a form of a tool server', () => {
  test('is filled in field by field and sent with the last', () => {
    const keys = ['y', '2', 'enter', '2', 'enter', 'Slow start', 'enter', 'ctrl+u', '3', 'enter']
    expect(typeKeys(openUi, asking, ...keys).intents).toEqual(
      decided({ kind: 'wish', urgent: false, title: 'Slow start', hours: 3 }),
    )
  })

  test('omits empty optional fields and accepts defaults', () => {
    const keys = ['y', '1', 'enter', 'enter', 'Slow', 'enter', 'enter']
    expect(typeKeys(openUi, asking, ...keys).intents).toEqual(decided({ kind: 'bug', title: 'Slow', hours: 2 }))
  })

  test.each([
    ['a choice that was not made', ['y', 'enter'], 'Choose one of them.'],
    ['a needed text that is missing', ['y', '1', 'enter', 'enter', ' ', 'enter'], 'This is needed.'],
    [
      'a number that is none',
      ['y', '1', 'enter', 'enter', 'x', 'enter', '.5', 'enter'],
      'It must be a whole number, e.g. 12.',
    ],
  ])('stays at %s and shows the problem', (_, keys, problem) => {
    const { ui, intents } = typeKeys(openUi, asking, ...keys)
    expect(intents).toEqual([])
    expect(ui.composing.purpose).toMatchObject({ kind: 'form', form: { problem } })
  })

  test('takes several choices of one field: a blank or a digit ticks, Enter goes on with those in their order', () => {
    const choices = ['cache', 'queue', 'mail'].map((value) => ({ value, title: value }))
    const fields = [{ name: 'x', title: 'X', type: 'choices', choices, required: false }] as const
    const one = after(...call, requested({ itemId: 'l1', kind: 'question', form: { fields: [...fields] } }))
    expect(typeKeys(openUi, one, 'y', 'enter').intents).toEqual(decided({ x: [] }))
    const keys = ['y', '3', 'up', ' ', 'up', ' ', ' ', '9']
    expect(typeKeys(openUi, one, ...keys, 'enter').intents).toEqual(decided({ x: ['queue', 'mail'] }))
    const preset = { ...fields[0], default: ['mail'] }
    const two = after(...call, requested({ itemId: 'l1', kind: 'question', form: { fields: [preset] } }))
    expect(typeKeys(openUi, two, 'y', '1', 'enter').intents).toEqual(decided({ x: ['cache', 'mail'] }))
  })

  test.each([
    ['email', 'nobody', 'a@b', 'It must be an e-mail address.'],
    ['uri', 'example', 'https://example.org', 'It must be a URL, e.g. https://example.org.'],
    ['date', '1.2.2026', '2026-02-01', 'It must be a date like 2026-02-28.'],
    ['date-time', '2026-02-01', '2026-02-01T12:00:00Z', 'It must be a time like 2026-02-28T12:00:00Z.'],
  ] as const)('does not leave a field of format %s with %s', (format, wrong, right, problem) => {
    const fields = [{ name: 'x', title: 'X', type: 'string', format, required: true }] as const
    const one = after(...call, requested({ itemId: 'l1', kind: 'elicitation', form: { fields: [...fields] } }))
    const stuck = typeKeys(openUi, one, 'y', wrong, 'enter')
    expect(stuck.intents).toEqual([])
    expect(stuck.ui.composing.purpose).toMatchObject({ kind: 'form', form: { problem } })
    expect(typeKeys(stuck.ui, one, 'ctrl+u', right, 'enter').intents).toEqual(decided({ x: right }))
  })

  test('returns by Escape to the earlier field with its answer, and from the first one to the question', () => {
    const third = typeKeys(openUi, asking, 'y', 'down', 'enter', 'enter', 'Slow', 'enter')
    const back = typeKeys(third.ui, asking, 'escape')
    expect(back.ui.composing.composer.text).toBe('Slow')
    const first = typeKeys(back.ui, asking, 'escape', 'escape')
    expect(first.ui.composing.purpose).toMatchObject({ form: { at: 0, choice: 0 } })
    const { ui, intents } = typeKeys(first.ui, asking, 'escape')
    expect({ purpose: ui.composing.purpose.kind, intents }).toEqual({ purpose: 'message', intents: [] })
  })

  test.each([
    [['n'], 'denied'],
    [['up', 'enter'], 'abort'],
  ])('is not answered by %j: %s', (keys, decision) => {
    expect(typeKeys(openUi, asking, ...keys).intents).toEqual([{ kind: 'decide', approvalId: 'a1', decision }])
  })

  test('without fields is a plain yes', () => {
    const plain = after(...call, requested({ itemId: 'l1', kind: 'elicitation', form: { fields: [] } }))
    expect(typeKeys(openUi, plain, 'y').intents).toEqual(decided({}))
  })

  test('is not opened by a key pressed before it could be read', () => {
    const { ui } = typeAtOnce(seenAt(openUi, asking, 1_000), asking, 1_100, 'y')
    expect({ purpose: ui.composing.purpose.kind, why: ui.answering.heldKey?.refusal }).toEqual({
      purpose: 'message',
      why: 'tooEarly',
    })
  })

  test('is not sent and stays unchanged without a server', () => {
    const filled = typeKeys(openUi, asking, 'y', '1', 'enter', 'enter', 'Slow', 'enter').ui
    const { ui, intents } = typeKeys(changePart(filled, 'connection', { link: { kind: 'lost' } }), asking, 'enter')
    expect(intents).toEqual([])
    expect({ purpose: ui.composing.purpose, answered: ui.answering.answeredApproval }).toEqual({
      purpose: filled.composing.purpose,
      answered: null,
    })
  })

  test('reopens at the rejected field with all answers', () => {
    const sent = typeKeys(openUi, asking, 'y', '1', 'enter', 'enter', 'Slow', 'enter', 'enter').ui
    const refused = { approvalId: 'a1', answers: { kind: 'bug', title: 'Slow', hours: 2 }, problem: 'Too short.' }
    const action = { kind: 'formRejected', field: 'title', ...refused } as const
    const { ui } = updateUi(sent, action, contextAt(asking, 99_000))
    expect({ text: ui.composing.composer.text, purpose: ui.composing.purpose }).toMatchObject({
      text: 'Slow',
      purpose: { form: { at: 2, problem: 'Too short.' } },
    })
    expect(typeKeys(ui, asking, 'er', 'enter', 'enter').intents).toEqual(
      decided({ kind: 'bug', title: 'Slower', hours: 2 }),
    )
  })

  test('answered by another window leaves the composer empty', () => {
    const { ui } = typeKeys(openUi, asking, 'y', '1', 'enter', 'enter', 'half')
    const event = { type: 'approval.decided', approvalId: 'a1', decision: 'denied', by: colleague } as const
    const next = followState(ui, { state: after(...call, elicitation, event) })
    expect({ purpose: next.composing.purpose.kind, text: next.composing.composer.text }).toEqual({
      purpose: 'message',
      text: '',
    })
  })
})
