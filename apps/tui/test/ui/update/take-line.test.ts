import type { ConversationState } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { newMenu } from '../../../src/ui/menu/menu.ts'
import { effortRows } from '../../../src/ui/menu/setting-rows.ts'
import type { Intent } from '../../../src/ui/state/actions.ts'
import { changePart, type UiState } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import { after, command, elicitation, requested, started, turnStarted } from '../../view/scenes/conversation.ts'
import { openUi } from '../../view/scenes/scene.ts'

const asked = after(turnStarted, started(command('npm install left-pad')), requested())
const outside = after(
  turnStarted,
  started(command('curl example.com')),
  requested({ kind: 'escalation', decisions: ['approved', 'denied', 'abort'] }),
)

interface Typed {
  readonly ui: UiState
  readonly intents: readonly Intent[]
}

/** Types lines a second after another; each is printed about at once. */
function type(state: ConversationState | null, ui: UiState, ...lines: readonly string[]): Typed {
  const painted = { kind: 'painted', approvalId: state === null ? null : 'a1', isSeen: true } as const
  return lines.reduce<Typed>(
    (typed, text, index) => {
      const nowMs = 10_000 + index * 1_000
      const context = { state, nowMs, columns: 80, freshId: 'm9' }
      const shown = updateUi(typed.ui, painted, { ...context, nowMs: nowMs - 500 }).ui
      const step = updateUi(shown, { kind: 'line', text }, context)
      return { ui: step.ui, intents: [...typed.intents, ...step.intents] }
    },
    { ui, intents: [] },
  )
}

const notesOf = ({ notices }: UiState) => notices.flatMap((notice) => (notice.kind === 'note' ? [notice.text] : []))

describe('a line at a question', () => {
  test.each([
    ['yes', { decision: 'approved' }],
    ['Y', { decision: 'approved' }],
    ['session', { decision: 'approvedForSession' }],
    ['no', { decision: 'denied' }],
    ['no, use pnpm', { decision: 'denied', note: 'use pnpm' }],
    ['stop', { decision: 'abort' }],
  ])('%j is an answer', (line, answer) => {
    expect(type(asked, openUi, line).intents).toEqual([{ kind: 'decide', approvalId: 'a1', ...answer }])
  })

  test('any is the wider yes for the conversation, where there is one', () => {
    const forSession = { covers: 'exactly this call', any: 'any call of db/query' }
    const wide = after(turnStarted, started(command('x')), requested({ forSession }))
    const answer = { kind: 'decide', approvalId: 'a1', decision: 'approvedForSession', scope: 'any' }
    expect(type(wide, openUi, 'any').intents).toEqual([answer])
    expect(type(asked, openUi, 'any').intents).toEqual([])
  })

  test.each(['yes please do', 'nothing', 'yes\nno', 'what is left-pad?'])('%j is a message', (line) => {
    expect(type(asked, openUi, line).intents).toMatchObject([{ kind: 'send', message: { text: line } }])
  })

  test.each(['session', 'remember'])('%j neither counts nor is sent where the question does not offer it', (line) => {
    const { ui, intents } = type(outside, openUi, line)
    expect(intents).toEqual([])
    expect(notesOf(ui)).toEqual([`${line} is not an answer to this question, and was not sent.`])
  })

  test.each([
    ['before it was printed whole', { isSeen: false, afterMs: 1_000 }, 'Not all of the question'],
    ['right after it was printed', { isSeen: true, afterMs: 100 }, 'Too early'],
  ])('does not count %s', (_, { isSeen, afterMs }, why) => {
    const context = { state: asked, nowMs: 10_000, columns: 80, freshId: 'm9' }
    const { ui } = updateUi(openUi, { kind: 'painted', approvalId: 'a1', isSeen }, context)
    const step = updateUi(ui, { kind: 'line', text: 'yes' }, { ...context, nowMs: 10_000 + afterMs })
    expect(step.intents).toEqual([])
    expect(notesOf(step.ui)).toEqual([expect.stringContaining(why)])
  })

  test('adds a rule only when its word is typed again', () => {
    const always = { label: 'npm install', rule: 'allow = "npm install"', file: '/home/ada/.parley/policy.toml' }
    const decisions = ['approved', 'approvedAlways', 'denied', 'abort'] as const
    const state = after(turnStarted, started(command('npm install')), requested({ always, decisions: [...decisions] }))
    expect(type(state, openUi, 'remember').intents).toEqual([])
    expect(type(state, openUi, 'remember', 'yes').intents).toEqual([])
    expect(type(state, openUi, 'remember', 'back', 'yes').intents).toMatchObject([{ decision: 'approved' }])
    expect(type(state, openUi, 'remember', 'remember').intents).toMatchObject([{ decision: 'approvedAlways' }])
  })
})

test('several choices of a field are typed with commas', () => {
  const choices = ['cache', 'queue', 'mail'].map((value) => ({ value, title: value }))
  const fields = [{ name: 'x', title: 'X', type: 'choices' as const, choices, required: false }]
  const question = requested({ kind: 'question', decisions: ['approved', 'denied', 'abort'], form: { fields } })
  const state = after(turnStarted, started(command('ask')), question)
  const opened = type(state, openUi, 'yes').ui
  const wrong = type(state, opened, '1, 4')
  expect(wrong.ui.composing.purpose).toMatchObject({ kind: 'form', form: { problem: '“4” is none of them.' } })
  const answered = (line: string) => type(state, opened, line).intents
  expect(answered('3, Cache')).toMatchObject([{ kind: 'decide', answers: { x: ['cache', 'mail'] } }])
  expect(answered('none')).toMatchObject([{ kind: 'decide', answers: { x: [] } }])
  expect(answered('')).toMatchObject([{ kind: 'decide', answers: { x: [] } }])
})

test('the fields of a form are filled in line by line', () => {
  const state = after(turnStarted, elicitation)
  const { ui, intents } = type(state, openUi, 'yes', '9')
  expect(intents).toEqual([])
  expect(ui.composing.purpose).toMatchObject({ kind: 'form', form: { at: 0, problem: 'Choose one of them.' } })
  expect(type(state, ui, '1').ui.composing.purpose).toMatchObject({ kind: 'form', form: { at: 1 } })
  expect(type(state, ui, '/back').ui.composing.purpose).toEqual({ kind: 'message' })
})

describe('a line at a list', () => {
  const menu = newMenu({ kind: 'effort', title: 'Effort', rows: effortRows({}) }, 0)

  test('takes the row of a number', () => {
    const { ui, intents } = type(null, { ...openUi, menu }, '3')
    expect(ui.menu).toBeNull()
    expect(intents).toEqual([{ kind: 'configure', settings: { effort: menu.rows?.[2]?.key } }])
  })

  test('searches by words, and closes the list', () => {
    const searched = type(null, { ...openUi, menu }, 'high').ui
    expect(searched.menu?.filter.text).toBe('high')
    expect(type(null, searched, 'cancel').ui.menu).toBeNull()
  })

  test('takes nothing of a list that has just come', () => {
    const { ui, intents } = type(null, { ...openUi, menu: { ...menu, changedAtMs: 9_900 } }, '3')
    expect(intents).toEqual([])
    expect(notesOf(ui)).toEqual([expect.stringContaining('Too early')])
  })
})

describe('a line without a server', () => {
  const lost = changePart(openUi, 'connection', { link: { kind: 'lost' } })

  test('is not sent, and that is said', () => {
    const { ui, intents } = type(null, lost, 'hello')
    expect(intents).toEqual([])
    expect(notesOf(ui)).toEqual([expect.stringContaining('Not sent')])
  })

  test('starts it anew', () => {
    expect(type(null, lost, 'restart').intents).toEqual([{ kind: 'restart' }])
  })
})

test('a backslash at the end goes on in the next line', () => {
  expect(type(after(), openUi, 'one\\', 'two').intents).toMatchObject([{ message: { text: 'one\ntwo' } }])
})
