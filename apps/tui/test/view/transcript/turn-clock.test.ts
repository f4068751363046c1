import { lineText } from '@parley/presentation/text/span'
import type { ConversationEvent } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { layoutScreen } from '../../../src/view/layout-screen.ts'
import { liveRows } from '../../../src/view/live-zone.ts'
import { emptyTranscript, type Transcript } from '../../../src/view/transcript/transcript.ts'
import {
  after,
  colleague,
  command,
  completed,
  requested,
  started,
  startedAt,
  turnEnded,
  turnStarted,
  userMessage,
} from '../scenes/conversation.ts'
import { sceneOf, settledRows } from '../scenes/scene.ts'

/** Returns the rows printed when these frames are painted in turn, each at its second. */
function printed(...frames: readonly (readonly [second: number, events: readonly ConversationEvent[]])[]) {
  return printedAt(80, ...frames)
}

function printedAt(
  columns: number,
  ...frames: readonly (readonly [second: number, events: readonly ConversationEvent[]])[]
) {
  let transcript: Transcript = emptyTranscript
  return frames.flatMap(([second, events]) => {
    const scene = {
      ...sceneOf(after(...events)),
      transcript,
      size: { columns, rows: 32 },
      nowMs: startedAt + second * 1_000,
      utcOffsetMs: 3_600_000,
    }
    const projected = layoutScreen(scene)
    transcript = projected.transcript
    return settledRows(projected.screen)
  })
}

const asked = [turnStarted, started(command('npm test')), requested()]
const answered = [...asked, { type: 'approval.decided', approvalId: 'a1', decision: 'denied', by: colleague } as const]

describe('the end of a turn', () => {
  test('says how long it worked, and the time of day', () => {
    expect(printed([1, [turnStarted]], [4, [turnStarted, turnEnded()]])).toEqual(['done in 1.0 s · 23:13'])
  })

  test('does not count the time in which it waited for the user', () => {
    const rows = printed([1, [turnStarted]], [2, asked], [4, answered], [5, [...answered, turnEnded()]])
    expect(rows).toEqual(['done in 2.0 s · 2.0 s waiting for you · 23:13'])
  })

  test('keeps its words whole in a narrow window', () => {
    const rows = printedAt(40, [1, [turnStarted]], [2, asked], [4, answered], [5, [...answered, turnEnded()]])
    expect(rows).toEqual(['done in 2.0 s · 2.0 s waiting for you ·', '23:13'])
  })

  test('says that it was stopped', () => {
    expect(printed([1, [turnStarted]], [9, [turnStarted, turnEnded('interrupted')]])).toEqual([
      'stopped after 1.0 s · 23:13',
    ])
  })

  test('is said above the next turn when both become known at once', () => {
    const next = { ...turnStarted, turnId: 't2' } as const
    const message = { ...completed(userMessage('and this')), turnId: 't2' } as const
    const rows = printed([1, [turnStarted]], [4, [turnStarted, turnEnded(), next, message]])
    expect(rows.filter((row) => row !== '')).toEqual(['done in 1.0 s · 23:13', '▌ and this'])
  })

  test('is not said of a turn that this window has not seen', () => {
    expect(printed([4, [turnStarted, turnEnded()]])).toEqual([])
  })
})

describe('a plan that a turn leaves unfinished', () => {
  const steps = [
    { step: 'Find', status: 'completed' as const },
    { step: 'Bound', status: 'inProgress' as const },
  ]
  const left = [turnStarted, { type: 'plan.updated' as const, plan: { steps } }]
  const later = [...left, turnEnded(), { ...turnStarted, turnId: 't2' }]

  /** Returns the live zone of the last of these frames. */
  function live(...frames: readonly (readonly ConversationEvent[])[]): string {
    let transcript: Transcript = emptyTranscript
    return (
      frames
        .map((events) => {
          const { transcript: next, screen } = layoutScreen({ ...sceneOf(after(...events)), transcript })
          transcript = next
          return liveRows(screen.live).map(lineText).join('\n')
        })
        .at(-1) ?? ''
    )
  }

  test('is counted in the row that ends the turn', () => {
    const rows = printed([0, left], [4, [...left, turnEnded()]])
    expect(rows.at(-1)).toMatch(/^done in 2\.0 s · 1 of 2 steps done · /)
  })

  test('is no longer pinned while a later turn works, until that one changes it', () => {
    expect(live(left)).toContain('▸ Bound')
    expect(live(left, later)).not.toContain('Bound')
    const changed = steps.map((step) => ({ ...step, step: `${step.step} it` }))
    expect(live(left, later, [...later, { type: 'plan.updated', plan: { steps: changed } }])).toContain('▸ Bound it')
  })
})

test('a message of the user that was pasted shows its first and last rows', () => {
  const text = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n')
  const rows = printed([0, [turnStarted, completed(userMessage(text))]])
  expect(rows.filter((row) => /line|more/.test(row))).toHaveLength(14)
  expect(rows.join('\n')).toMatch(/line 10\n.*… 87 more lines \(Ctrl\+O\)\n.*line 98/)
})
