import type { Actor, Approval } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { Opened } from '../../src/ui/ui-state.ts'
import { followState, updateUi } from '../../src/ui/update-ui.ts'
import { after, colleague, command, me, requested, started, turnStarted } from '../view/scenes/conversation.ts'
import { openUi, written } from '../view/scenes/scene.ts'
import { contextAt, seenAt, typeAtOnce, typeKeys } from './type-keys.ts'

const opened: Opened = {
  conversationId: 'c',
  shortId: '0a1b2c3d',
  readOnly: false,
  onlyWatches: false,
  attached: false,
  ephemeral: false,
}
const asking = after(turnStarted, started(command('rm -rf x')), requested())

describe('an approval', () => {
  test.each([
    ['1', 'approved'],
    ['y', 'approved'],
    ['2', 'approvedForSession'],
    ['5', 'abort'],
  ])('is answered by %s with %s, by the id that was painted', (key, decision) => {
    expect(typeKeys(openUi, asking, key).intents).toEqual([{ kind: 'decide', approvalId: 'a1', decision }])
  })

  test.each(['enter', 'tab', 'up', ' ', 'x', '3', '6'])('is not answered by %j', (key) => {
    expect(typeKeys(openUi, asking, key).intents).toEqual([])
  })

  test('is not granted for the conversation when that is not offered', () => {
    const once = after(turnStarted, started(command('x')), requested({ decisions: ['approved', 'denied', 'abort'] }))
    expect(typeKeys(openUi, once, '2').intents).toEqual([])
  })

  test('is granted for always only where that is offered with its rule; no other answer has that key then', () => {
    const always = { label: 'npm test …', rule: '[[rule]]', file: '/home/ada/.parley/policy.toml' }
    const decisions: Approval['decisions'] = ['approved', 'approvedAlways', 'denied', 'abort']
    const offering = (fields: object) => after(turnStarted, started(command('npm test')), requested(fields))
    expect(typeKeys(openUi, offering({ decisions, always }), '3').intents).toEqual([
      { kind: 'decide', approvalId: 'a1', decision: 'approvedAlways' },
    ])
    for (const fields of [{ decisions }, { always }, {}])
      expect(typeKeys(openUi, offering(fields), '3').intents).toEqual([])
    expect(typeKeys(openUi, offering({ decisions, always }), '2').intents).toEqual([])
  })

  test('is refused with a note of what to do instead', () => {
    const { ui, intents } = typeKeys(openUi, asking, 'n', 'use trash', 'enter')
    expect(intents).toEqual([{ kind: 'decide', approvalId: 'a1', decision: 'denied', note: 'use trash' }])
    expect(ui.purpose.kind).toBe('message')
  })

  test('is refused without a note when nothing is written', () => {
    expect(typeKeys(openUi, asking, '4', 'enter').intents).toEqual([
      { kind: 'decide', approvalId: 'a1', decision: 'denied' },
    ])
  })

  test('is not refused when Escape leaves the note', () => {
    const { ui, intents } = typeKeys(openUi, asking, 'n', 'hm', 'escape')
    expect({ intents, purpose: ui.purpose.kind, text: ui.composer.text }).toEqual({
      intents: [],
      purpose: 'message',
      text: '',
    })
  })

  test('takes no letter of a text that is being written', () => {
    const { ui, intents } = typeKeys({ ...openUi, composer: written('wa') }, asking, 'y', '1')
    expect({ text: ui.composer.text, intents }).toEqual({ text: 'way1', intents: [] })
  })

  test('drops a key that comes before it can have been read, and says so until the next', () => {
    const seen = seenAt(openUi, asking, 1_000)
    const { ui, intents } = typeAtOnce(seen, asking, 1_100, 'y')
    expect({ text: ui.composer.text, intents }).toEqual({ text: '', intents: [] })
    expect(ui.refusedKey).toMatchObject({ text: 'y', approvalId: 'a1', why: 'tooEarly' })
    expect(typeAtOnce(ui, asking, 2_000, 'y').ui.refusedKey).toBeNull()
    expect(typeAtOnce(ui, asking, 2_000, 'y').intents).toHaveLength(1)
  })

  test('that has taken the place of another is not answered by a key that was meant for that one', () => {
    const seen = seenAt(openUi, asking, 1_000)
    const swapped = after(turnStarted, started(command('rm -rf /')), requested({ id: 'b1', detail: 'rm -rf /' }))
    const { ui, intents } = typeAtOnce(seen, swapped, 5_000, 'y')
    expect(intents).toEqual([])
    expect(ui.refusedKey).toMatchObject({ approvalId: 'b1', why: 'tooEarly' })
    expect(typeAtOnce(seenAt(ui, swapped, 5_010), swapped, 5_200, 'y').intents).toEqual([])
    expect(typeAtOnce(seenAt(ui, swapped, 5_010), swapped, 5_500, 'y').intents).toMatchObject([{ approvalId: 'b1' }])
  })

  test('is not answered by keys that are held down while it appears', () => {
    let ui = seenAt(openUi, asking, 1_000)
    for (let atMs = 1_000; atMs < 4_000; atMs += 40) {
      const step = typeAtOnce(ui, asking, atMs, atMs % 80 === 0 ? 'y' : '1')
      expect(step.intents).toEqual([])
      ui = step.ui
    }
  })

  test('gives that key back when it was the first letter of a word', () => {
    const seen = seenAt(openUi, asking, 1_000)
    const { ui, intents } = typeAtOnce(seen, asking, 1_100, 'y', 'e', 's')
    expect({ text: ui.composer.text, intents }).toEqual({ text: 'yes', intents: [] })
  })

  test('is not answered by a window that only watches, which says why', () => {
    const watching = { ...openUi, opened: { ...opened, readOnly: true, onlyWatches: true, attached: true } }
    const { ui, intents } = typeKeys(watching, asking, 'y')
    expect({ intents, why: ui.refusedKey?.why }).toEqual({ intents: [], why: 'readOnly' })
  })

  test('that another window answered says who said what, and one of our own says nothing', () => {
    const event = { type: 'approval.decided', approvalId: 'a1', decision: 'approved' } as const
    const answeredBy = (by: Actor) =>
      updateUi(openUi, { kind: 'answered', event: { ...event, by } }, contextAt(asking, 0)).ui.said.at(-1)
    expect(answeredBy(colleague)).toMatchObject({ text: 'answered by editor: approved' })
    expect(answeredBy({ ...colleague, title: 'ada (pts/3)' })).toMatchObject({
      text: 'answered by ada (pts/3): approved',
    })
    expect(answeredBy(me)).toBeUndefined()
  })

  test('is printed whole by v', () => {
    const { ui, intents } = typeKeys(openUi, asking, 'v')
    expect(intents).toEqual([])
    expect(ui.said.at(-1)).toMatchObject({ kind: 'approvalDetail', approval: { id: 'a1' } })
  })

  test('that others answered turns the note into ordinary text', () => {
    const { ui } = typeKeys(openUi, asking, 'n', 'why')
    const state = after(turnStarted, started(command('rm -rf x')), requested(), {
      type: 'approval.decided',
      approvalId: 'a1',
      decision: 'denied',
      by: colleague,
    })
    const next = followState(ui, { state })
    expect({ purpose: next.purpose.kind, text: next.composer.text }).toEqual({ purpose: 'message', text: 'why' })
  })
})
