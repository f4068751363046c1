import type { Actor, Approval } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { OpenedWindow } from '../../src/ui/link/link.ts'
import { changePart } from '../../src/ui/state/ui-state.ts'
import { followState, updateUi } from '../../src/ui/update/update-ui.ts'
import { isComposerHidden } from '../../src/ui/write-over-question.ts'
import { after, colleague, command, me, requested, started, turnStarted } from '../view/scenes/conversation.ts'
import { openUi, written } from '../view/scenes/scene.ts'
import { contextAt, rest, seenAt, typeAtOnce, typeKeys, typeText } from './type-keys.ts'

const opened: OpenedWindow = {
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
    ['y', 'approved'],
    ['a', 'approvedForSession'],
  ])('is answered by %s with %s, by the painted id', (key, decision) => {
    expect(typeKeys(openUi, asking, key).intents).toEqual([{ kind: 'decide', approvalId: 'a1', decision }])
  })

  test('is answered by e with the wider yes for the conversation, where there is one beside the narrower', () => {
    const forSession = { covers: 'exactly this call', any: 'any call of db/query' }
    const wide = after(turnStarted, started(command('x')), requested({ forSession }))
    const answer = { kind: 'decide', approvalId: 'a1', decision: 'approvedForSession' }
    expect(typeKeys(openUi, wide, 'e').intents).toEqual([{ ...answer, scope: 'any' }])
    expect(typeKeys(openUi, wide, 'a').intents).toEqual([answer])
    expect(typeKeys(openUi, asking, 'e').intents).toEqual([])
  })

  test('is not answered with a yes by a user who may use less, who can still say no', () => {
    const state = after(turnStarted, started(command('x')), requested({ reaches: 'danger-full-access' }))
    const person = { kind: 'user', name: 'lim', maxSandbox: 'read-only' } as const
    const ui = { ...openUi, opened: { ...opened, person } }
    for (const key of ['y', 'a', 'e', 'r']) expect(typeKeys(ui, state, key).intents).toEqual([])
    expect(typeKeys(ui, state, 'n', 'enter').intents).toEqual([
      { kind: 'decide', approvalId: 'a1', decision: 'denied' },
    ])
    const able = { ...openUi, opened: { ...opened, person: { ...person, maxSandbox: 'danger-full-access' } as const } }
    expect(typeKeys(able, state, 'y').intents).toEqual([{ kind: 'decide', approvalId: 'a1', decision: 'approved' }])
  })

  test.each(['enter', 'tab', 'up', ' ', 'x', 'r', 'Y', '1', '2', '3', '4', '5'])('is not answered by %j', (key) => {
    expect(typeKeys(openUi, asking, key).intents).toEqual([])
  })

  test('is not granted for the conversation when that is not offered', () => {
    const once = after(turnStarted, started(command('x')), requested({ decisions: ['approved', 'denied', 'abort'] }))
    expect(typeKeys(openUi, once, 'a').intents).toEqual([])
  })

  test('is granted permanently only where that is offered with its rule', () => {
    const always = { label: 'npm test …', rule: '[[rule]]', file: '/home/ada/.parley/policy.toml' }
    const decisions: Approval['decisions'] = ['approved', 'approvedAlways', 'denied', 'abort']
    const offering = (fields: object) => after(turnStarted, started(command('npm test')), requested(fields))
    const permanently = [{ kind: 'decide', approvalId: 'a1', decision: 'approvedAlways' }]
    expect(typeKeys(openUi, offering({ decisions, always }), 'r').intents).toEqual([])
    for (const fields of [{ decisions }, { always }, {}])
      expect(typeKeys(openUi, offering(fields), 'r', 'enter').intents).toEqual([])
    expect(typeKeys(openUi, offering({ decisions, always }), 'a').intents).toEqual([])
    expect(typeKeys(openUi, offering({ decisions, always }), 'r', 'a', 'y').intents).toEqual([])
    const state = offering({ decisions, always })
    const shown = seenAt(typeKeys(openUi, state, 'r').ui, state, 20_000)
    for (const key of ['r', 'enter']) {
      const given = (atMs: number) => rest(typeAtOnce(shown, state, atMs, key), state, atMs + 999).intents
      expect([given(20_399), given(20_400)]).toEqual([[], permanently])
    }
    let heldDown = typeAtOnce(shown, state, 20_100, 'enter')
    for (let atMs = 20_140; atMs < 23_000; atMs += 40) {
      heldDown = typeAtOnce(heldDown.ui, state, atMs, 'enter')
      expect(heldDown.intents).toEqual([])
    }
    const inPart = seenAt(typeKeys(openUi, state, 'r').ui, state, 20_000, false)
    expect(rest(typeAtOnce(inPart, state, 30_000, 'r'), state, 31_000).intents).toEqual([])
    const back = typeAtOnce(shown, state, 30_000, 'escape')
    expect({ intents: back.intents, remembering: back.ui.answering.remembering }).toEqual({
      intents: [],
      remembering: null,
    })
  })

  test('is refused with a note of what to do instead', () => {
    const { ui, intents } = typeKeys(openUi, asking, 'n', 'use trash', 'enter')
    expect(intents).toEqual([{ kind: 'decide', approvalId: 'a1', decision: 'denied', note: 'use trash' }])
    expect(ui.composing.purpose.kind).toBe('message')
  })

  test('is refused without a note when nothing is written', () => {
    expect(typeKeys(openUi, asking, 'n', 'enter').intents).toEqual([
      { kind: 'decide', approvalId: 'a1', decision: 'denied' },
    ])
  })

  test('is not refused when Escape leaves the note', () => {
    const { ui, intents } = typeKeys(openUi, asking, 'n', 'hm', 'escape')
    expect({ intents, purpose: ui.composing.purpose.kind, text: ui.composing.composer.text }).toEqual({
      intents: [],
      purpose: 'message',
      text: '',
    })
  })

  test.each(['tab', 'create'])('has the place of the composer, which %s opens and Escape closes', (key) => {
    const opened = typeKeys(openUi, asking, key)
    expect(isComposerHidden(openUi, asking)).toBe(true)
    expect(isComposerHidden(opened.ui, asking)).toBe(false)
    expect(typeKeys(opened.ui, asking, 'y').intents).toEqual([])
    const closed = typeKeys(opened.ui, asking, 'escape')
    expect({ intents: closed.intents, hidden: isComposerHidden(closed.ui, asking) }).toEqual({
      intents: [],
      hidden: true,
    })
    expect(typeKeys(closed.ui, asking, 'enter').intents).toEqual([])
    expect(typeAtOnce(closed.ui, asking, 20_000, 'escape').intents).toMatchObject([{ kind: 'interrupt' }])
    expect(rest(typeAtOnce(closed.ui, asking, 20_000, 'y'), asking, 21_000).intents).toHaveLength(1)
  })

  test('accepts no letter once text was deleted to its end', () => {
    const { ui, intents } = typeKeys(openUi, asking, 'ab', 'backspace', 'backspace', 'y')
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: 'y', intents: [] })
  })

  test('keeps the text that it hides, also over a note', () => {
    const hidden = typeKeys(openUi, asking, 'my text', 'escape').ui
    const noted = typeAtOnce(rest(typeAtOnce(hidden, asking, 30_000, 'n'), asking, 31_000).ui, asking, 40_000, 'use it')
    expect(noted.ui.composing.composer.text).toBe('use it')
    const sent = typeAtOnce(noted.ui, asking, 50_000, 'enter')
    expect(sent.intents).toMatchObject([{ decision: 'denied', note: 'use it' }])
    expect(sent.ui.composing.composer.text).toBe('my text')
    expect(typeAtOnce(hidden, asking, 50_000, 'ctrl+d').intents).toEqual([])
  })

  test('accepts no letter while the composer has text', () => {
    const { ui, intents } = typeKeys(changePart(openUi, 'composing', { composer: written('wa') }), asking, 'y', 'a')
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: 'waya', intents: [] })
  })

  test('rejects a key that comes too early, and shows that until the next key', () => {
    const seen = seenAt(openUi, asking, 1_000)
    const { ui, intents } = typeAtOnce(seen, asking, 1_100, 'y')
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: '', intents: [] })
    expect(ui.answering.heldKey).toMatchObject({ text: 'y', approvalId: 'a1', refusal: 'tooEarly' })
    const again = typeAtOnce(ui, asking, 2_000, 'y')
    expect(again.ui.answering.heldKey?.refusal).toBeNull()
    expect(rest(again, asking, 2_500).intents).toHaveLength(1)
  })

  test('that replaces another is not answered by a key for the other', () => {
    const seen = seenAt(openUi, asking, 1_000)
    const swapped = after(turnStarted, started(command('rm -rf /')), requested({ id: 'b1', detail: 'rm -rf /' }))
    const { ui, intents } = typeAtOnce(seen, swapped, 5_000, 'y')
    expect(intents).toEqual([])
    expect(ui.answering.heldKey).toMatchObject({ approvalId: 'b1', refusal: 'tooEarly' })
    const read = seenAt(ui, swapped, 5_010)
    expect(rest(typeAtOnce(read, swapped, 5_200, 'y'), swapped, 9_000).intents).toEqual([])
    expect(rest(typeAtOnce(read, swapped, 5_600, 'y'), swapped, 9_000).intents).toMatchObject([{ approvalId: 'b1' }])
  })

  test('is not answered by keys that are held down while it appears', () => {
    let ui = seenAt(openUi, asking, 1_000)
    for (let atMs = 1_000; atMs < 4_000; atMs += 40) {
      const step = typeAtOnce(ui, asking, atMs, atMs % 80 === 0 ? 'y' : 'a')
      expect(step.intents).toEqual([])
      ui = step.ui
    }
  })

  test('restores that key as the first letter of a word', () => {
    const seen = seenAt(openUi, asking, 1_000)
    const { ui, intents } = typeAtOnce(seen, asking, 1_100, 'y', 'e', 's')
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: 'yes', intents: [] })
  })

  test('is answered by a second key after one that came too early, unless text follows', () => {
    const early = typeAtOnce(seenAt(openUi, asking, 1_000), asking, 1_200, 'a')
    const again = typeAtOnce(early.ui, asking, 1_500, 'n')
    expect(rest(again, asking, 2_000).ui.composing.purpose.kind).toBe('note')
    const { ui, intents } = rest(typeAtOnce(again.ui, asking, 1_900, 'd'), asking, 9_000)
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: 'and', intents: [] })
  })

  test('is not answered by a client that only watches, which shows why', () => {
    const watching = { ...openUi, opened: { ...opened, readOnly: true, onlyWatches: true, attached: true } }
    const { ui, intents } = typeKeys(watching, asking, 'y')
    expect({ intents, why: ui.answering.heldKey?.refusal }).toEqual({ intents: [], why: 'readOnly' })
  })

  test("answered by another client names the client and its answer; this client's own adds no notice", () => {
    const event = { type: 'approval.decided', approvalId: 'a1', decision: 'approved' } as const
    const answeredBy = (by: Actor) =>
      updateUi(openUi, { kind: 'answered', event: { ...event, by } }, contextAt(asking, 0)).ui.notices.at(-1)
    expect(answeredBy(colleague)).toMatchObject({ text: 'answered by editor: approved' })
    expect(answeredBy({ ...colleague, title: 'ada (pts/3)' })).toMatchObject({
      text: 'answered by ada (pts/3): approved',
    })
    expect(answeredBy(me)).toBeUndefined()
  })

  test('is printed completely by v', () => {
    const { ui, intents } = typeKeys(openUi, asking, 'v')
    expect(intents).toEqual([])
    expect(ui.notices.at(-1)).toMatchObject({ kind: 'approvalDetail', approval: { id: 'a1' } })
  })

  test('answered by another client turns the note into a message', () => {
    const { ui } = typeKeys(openUi, asking, 'n', 'why')
    const state = after(turnStarted, started(command('rm -rf x')), requested(), {
      type: 'approval.decided',
      approvalId: 'a1',
      decision: 'denied',
      by: colleague,
    })
    const next = followState(ui, { state })
    expect({ purpose: next.composing.purpose.kind, text: next.composing.composer.text }).toEqual({
      purpose: 'message',
      text: 'why',
    })
  })
})

describe('a letter at an approval', () => {
  const messages = ['yarn test', 'no wait', 'and then', 'View it', 'view it', '2 more', 'create it', 'why not']
  const gapsMs = [30, 120, 250, 450]
  const typed = messages.flatMap((text) => gapsMs.map((gapMs) => ({ text, gapMs })))

  test.each(typed)('is no answer as the beginning of "$text", typed at $gapMs ms a key', ({ text, gapMs }) => {
    const { ui, intents } = typeText(openUi, asking, text, [gapMs])
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text, intents: [] })
    const sent = typeAtOnce(ui, asking, 60_000, 'enter').intents
    expect(sent).toMatchObject([{ kind: 'send', message: { text, when: 'steer' } }])
  })

  test('answers once no key has followed for half a second', () => {
    const chosen = typeAtOnce(seenAt(openUi, asking, 0), asking, 10_000, 'y')
    expect(chosen.ui.answering.heldKey).toMatchObject({ text: 'y', refusal: null })
    const waiting = rest(chosen, asking, 10_499)
    expect({ intents: waiting.intents, chosen: waiting.ui.answering.heldKey?.text }).toEqual({
      intents: [],
      chosen: 'y',
    })
    expect(rest(waiting, asking, 10_500).intents).toEqual([{ kind: 'decide', approvalId: 'a1', decision: 'approved' }])
  })

  test('is no answer if the next key arrived in time, even when read late', () => {
    const chosen = typeAtOnce(seenAt(openUi, asking, 0), asking, 10_000, 'y')
    const { ui, intents } = rest(typeAtOnce(chosen.ui, asking, 14_000, 'a'), asking, 20_000)
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: 'ya', intents: [] })
  })

  test('begins a message when a paste follows', () => {
    const chosen = typeAtOnce(seenAt(openUi, asking, 0), asking, 10_000, 'y')
    const paste = { kind: 'key', event: { kind: 'paste', text: 'arn' } } as const
    expect(updateUi(chosen.ui, paste, contextAt(asking, 10_100)).ui.composing.composer.text).toBe('yarn')
  })

  test.each(['escape', 'ctrl+c', 'backspace'])('is cancelled by %s, which does nothing else', (key) => {
    const typedBack = typeAtOnce(seenAt(openUi, asking, 0), asking, 10_000, 'y', key)
    const { ui, intents } = rest(typedBack, asking, 20_000)
    expect({ intents, held: ui.answering.heldKey, text: ui.composing.composer.text }).toEqual({
      intents: [],
      held: null,
      text: '',
    })
  })

  test('stays chosen when Enter follows, and answers once', () => {
    const entered = typeAtOnce(seenAt(openUi, asking, 0), asking, 10_000, 'y', 'enter')
    expect(entered.intents).toEqual([])
    expect(rest(rest(entered, asking, 10_500), asking, 20_000).intents).toMatchObject([{ decision: 'approved' }])
  })

  test('is dropped with its question', () => {
    const chosen = typeAtOnce(seenAt(openUi, asking, 0), asking, 10_000, 'y')
    const swapped = after(turnStarted, started(command('rm -rf /')), requested({ id: 'b1', detail: 'rm -rf /' }))
    expect(rest(chosen, swapped, 20_000).intents).toEqual([])
  })
})

describe('Enter at an approval', () => {
  test.each([
    [['down', 'enter'], 'approved'],
    [['down', 'down', 'enter'], 'approvedForSession'],
    [['up', 'enter'], 'abort'],
    [['up', 'down', 'enter'], 'approved'],
  ])('gives the answer that %j highlights', (keys, decision) => {
    expect(typeKeys(openUi, asking, ...keys).intents).toEqual([{ kind: 'decide', approvalId: 'a1', decision }])
  })

  test('asks for a note after Enter on the highlighted no', () => {
    expect(typeKeys(openUi, asking, 'up', 'up', 'enter').ui.composing.purpose.kind).toBe('note')
  })

  test('does not answer twice', () => {
    const ui = changePart(openUi, 'history', { earlierPrompts: ['the last prompt'] })
    const step = typeKeys(ui, asking, 'up')
    expect({ text: step.ui.composing.composer.text, reached: step.ui.answering.reached?.answer }).toEqual({
      text: '',
      reached: 'stop',
    })
  })

  test('gives no answer highlighted before the question could be read', () => {
    const seen = seenAt(openUi, asking, 1_000)
    expect(typeAtOnce(seen, asking, 1_399, 'down', 'enter').intents).toEqual([])
    expect(typeAtOnce(seen, asking, 1_400, 'down', 'enter').intents).toHaveLength(1)
  })

  test('gives no answer highlighted in another question', () => {
    const { ui } = typeKeys(openUi, asking, 'down')
    const swapped = after(turnStarted, started(command('rm -rf /')), requested({ id: 'b1', detail: 'rm -rf /' }))
    expect(typeAtOnce(seenAt(ui, swapped, 20_000), swapped, 30_000, 'enter').intents).toEqual([])
  })

  test('sends the text and drops the highlight', () => {
    expect(typeKeys(openUi, asking, 'down', 'x', 'enter').intents).toEqual([])
    const { ui, intents } = typeKeys(openUi, asking, 'down', 'xy', 'enter')
    expect(intents).toMatchObject([{ kind: 'send', message: { text: 'xy' } }])
    expect(typeAtOnce(ui, asking, 90_000, 'enter').intents).toEqual([])
  })
})

describe('an approval that was not shown whole', () => {
  const inPart = () => seenAt(openUi, asking, 0, false)

  test.each(['y', 'a'])('rejects %s and shows why', (key) => {
    const { ui, intents } = rest(typeAtOnce(inPart(), asking, 10_000, key), asking, 20_000)
    expect({ intents, refusal: ui.answering.heldKey?.refusal }).toEqual({ intents: [], refusal: 'unseen' })
  })

  test('rejects a yes by Enter, too', () => {
    const { ui, intents } = rest(typeAtOnce(inPart(), asking, 10_000, 'down', 'enter'), asking, 20_000)
    expect({ intents, refusal: ui.answering.heldKey?.refusal }).toEqual({ intents: [], refusal: 'unseen' })
  })

  test.each([
    ['v', []],
    ['w', [{ kind: 'why', item: 'x1' }]],
  ])('accepts %s', (key, intents) => {
    const { ui, intents: given } = rest(typeAtOnce(inPart(), asking, 10_000, key), asking, 20_000)
    expect({ given, held: ui.answering.heldKey }).toEqual({ given: intents, held: null })
  })
})
