import { choiceWords } from '@parley/presentation/question/answer-words'
import { type Approval, modes } from '@parley/protocol'
import { planForm } from '@parley/protocol/question'
import { describe, expect, test } from 'vitest'
import { takeLine } from '../../src/ui/update/take-line.ts'
import { answerWords, questionLines } from '../../src/view/plain/question-lines.ts'
import { after, command, requested, started, turnStarted } from '../view/scenes/conversation.ts'
import { openUi } from '../view/scenes/scene.ts'
import { contextAt, seenAt, typeKeys } from './type-keys.ts'

const work = modes.filter(({ name }) => name !== 'plan')
const plan: Partial<Approval> = {
  kind: 'plan',
  title: 'Plan: Bound the cache',
  detail: '1. Use an LRU map',
  reason: 'Nothing is changed before you choose.',
  decisions: ['approved', 'denied', 'abort'],
  form: planForm(work),
}
const asking = after(turnStarted, started(command('x')), requested(plan))
const decide = { kind: 'decide', approvalId: 'a1' }

describe('a plan', () => {
  test.each([
    ['y', { ...decide, decision: 'approved', answers: { mode: 'ask' } }],
    ['a', { ...decide, decision: 'approved', answers: { mode: 'edit' } }],
  ])('is taken up by %s', (key, intent) => {
    expect(typeKeys(openUi, asking, key).intents).toEqual([intent])
  })

  test('is sent back by n with what to change', () => {
    const { ui, intents } = typeKeys(openUi, asking, 'n')
    expect(intents).toEqual([])
    expect(ui.composing.purpose).toEqual({ kind: 'note', approvalId: 'a1' })
  })

  test('is not taken up in a mode above the ceiling', () => {
    const { form: _, ...without } = plan
    const none = after(turnStarted, started(command('x')), requested({ ...without, decisions: ['denied', 'abort'] }))
    for (const key of ['y', 'a']) expect(typeKeys(openUi, none, key).intents).toEqual([])
  })

  test.each([
    ['ask', { ...decide, decision: 'approved', answers: { mode: 'ask' } }],
    ['edit', { ...decide, decision: 'approved', answers: { mode: 'edit' } }],
    ['no smaller steps', { ...decide, decision: 'denied', note: 'smaller steps' }],
    ['stop', { ...decide, decision: 'abort' }],
  ])('is answered by the line %j', (line, intent) => {
    const seen = seenAt(openUi, asking, 0)
    expect(takeLine(seen, line, contextAt(asking, 10_000)).intents).toEqual([intent])
  })

  test('says in plain lines what it is and what answers it', () => {
    const approval = Object.values(asking.core.approvals)[0]
    if (approval === undefined) throw new Error('nothing is asked')
    const lines = questionLines(approval, { enforcement: 'full', homeFolder: '', waiting: 1 })
    expect(lines).toEqual([
      'Question: Work by this plan?',
      '    Plan: Bound the cache',
      '    1. Use an LRU map',
      'Nothing is changed before you choose.',
    ])
    expect(answerWords(approval)).toMatch(
      /^Type one of: ask \(work, .*\); edit \(work, .*\); no, or no and what to change/,
    )
    expect(choiceWords(approval, true).labels.note).toBe('keep planning …')
  })
})
