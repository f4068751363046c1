import { describe, expect, test } from 'vitest'
import {
  type AnswerGuard,
  isWhollySeen,
  mayAnswer,
  noteKey,
  notePainted,
  unguarded,
} from '../../src/question/answers.ts'

const painted = notePainted(unguarded, { approvalId: 'a1', isSeen: true }, 1_000)

const inPart = notePainted(unguarded, { approvalId: 'a1', isSeen: false }, 1_000)

const cases: readonly { what: string; guard: AnswerGuard; approvalId: string; nowMs: number; counts: boolean }[] = [
  { what: 'before it can have been read', guard: painted, approvalId: 'a1', nowMs: 1_399, counts: false },
  { what: 'once it can have been read', guard: painted, approvalId: 'a1', nowMs: 1_400, counts: true },
  { what: 'while keys still come', guard: noteKey(painted, 1_900), approvalId: 'a1', nowMs: 2_049, counts: false },
  { what: 'after keys have stopped', guard: noteKey(painted, 1_900), approvalId: 'a1', nowMs: 2_050, counts: true },
  { what: 'for another approval than the painted one', guard: painted, approvalId: 'a2', nowMs: 9_000, counts: false },
  { what: 'when nothing was painted', guard: unguarded, approvalId: 'a1', nowMs: 9_000, counts: false },
  {
    what: 'after it was painted again',
    guard: notePainted(painted, { approvalId: 'a1', isSeen: true }, 1_390),
    approvalId: 'a1',
    nowMs: 1_400,
    counts: true,
  },
  {
    what: 'at once after the rest of it was painted',
    guard: notePainted(inPart, { approvalId: 'a1', isSeen: true }, 5_000),
    approvalId: 'a1',
    nowMs: 5_200,
    counts: false,
  },
  {
    what: 'at once after another one',
    guard: notePainted(painted, { approvalId: 'a2', isSeen: true }, 5_000),
    approvalId: 'a2',
    nowMs: 5_200,
    counts: false,
  },
]

describe('an answer', () => {
  test.each(cases)('$what counts: $counts', ({ guard, approvalId, nowMs, counts }) => {
    expect(mayAnswer(guard, approvalId, nowMs)).toBe(counts)
  })
})

describe('a question', () => {
  test('once seen whole stays seen in a smaller window', () => {
    const again = notePainted(painted, { approvalId: 'a1', isSeen: false }, 2_000)
    expect([inPart, painted, again].map((guard) => isWhollySeen(guard, 'a1'))).toEqual([false, true, true])
  })

  test('that replaces a seen one is not seen', () => {
    const other = notePainted(painted, { approvalId: 'a2', isSeen: false }, 2_000)
    expect([isWhollySeen(other, 'a2'), isWhollySeen(painted, 'a2')]).toEqual([false, false])
  })
})
