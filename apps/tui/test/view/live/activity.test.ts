import { expect, test } from 'vitest'
import { activityOf } from '../../../src/view/live/activity.ts'
import { lineText } from '../../../src/view/text/span.ts'
import { after, command, requested, started, startedAt, turnStarted } from '../scenes/conversation.ts'
import { openUi } from '../scenes/scene.ts'

const parked = { type: 'turn.parked', turnId: 't1', reason: 'It waits.' } as const
const at = (ms: number) => ({ nowMs: startedAt + ms, clock: null, room: { columns: 80 } })
const answered = { ...openUi, answeredApproval: 'a1', answeredAtMs: startedAt + 11_000 }

test.each([
  ['waits', []],
  ['is parked', [parked]],
])('an answer without acknowledgement for a second is shown as being sent, also where its turn %s', (_, events) => {
  const state = after(turnStarted, started(command('npm install left-pad')), requested(), ...events)
  const early = activityOf(state, answered, at(11_100))
  expect(early === null ? '' : lineText(early.line)).toContain('Thinking')
  expect(early?.changesAtMs).toBe(startedAt + 11_350)
  expect(lineText(activityOf(state, answered, at(12_000))?.line ?? [])).toBe('Sending the answer…')
})

test('a window that only watches offers to join again when the server is lost', () => {
  const opened = {
    conversationId: 'c',
    shortId: 's',
    readOnly: true,
    onlyWatches: true,
    attached: true,
    ephemeral: false,
  }
  const { line = [] } = activityOf(after(turnStarted), { ...openUi, opened, link: { kind: 'lost' } }, at(0)) ?? {}
  expect(lineText(line)).toContain('Press r to join it again')
})
