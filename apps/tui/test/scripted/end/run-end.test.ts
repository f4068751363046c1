import type { EventOf } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { ExitCode } from '../../../src/cli/exit-codes.ts'
import { failedRun } from '../../../src/cli/run-ended.ts'
import { stoppedRun, stoppedTurn, turnEnd } from '../../../src/scripted/end/run-end.ts'
import { StoppedError } from '../../../src/scripted/end/stopper.ts'

const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0 }
const denial = { itemId: 'i-1', title: 'rm x', reason: 'no' }

const ended = (more: Partial<EventOf<'turn.ended'>> = {}): EventOf<'turn.ended'> => ({
  type: 'turn.ended',
  turnId: 't-1',
  outcome: 'completed',
  usage,
  denials: [],
  ...more,
})
const failure = { code: 'timeout', message: 'late' }
const failing = (code: string) => ended({ outcome: 'failed', failure: { code, message: 'why' } })

describe('a turn that ended by itself', () => {
  test.each<[string, EventOf<'turn.ended'>, string | null, ExitCode]>([
    ['with an answer', ended(), 'yes', 0],
    ['with an answer in spite of a denial', ended({ denials: [denial] }), 'no', 0],
    ['without an answer', ended(), null, 1],
    ['with nothing but blanks', ended(), ' \n', 1],
    ['without an answer after a denial', ended({ denials: [denial] }), null, 4],
    ['interrupted by someone else', ended({ outcome: 'interrupted' }), 'half', 1],
    ['by a failure of the model', failing('contextTooLong'), 'half', 1],
    ['by a refused key', failing('auth'), null, 3],
    ['by an unreachable provider', failing('unreachable'), null, 8],
    ['by a bug', failing('internal'), null, 70],
    ['by a full disk after a denial', { ...failing('storageFailed'), denials: [denial] }, null, 9],
    ['by an unreachable provider after a denial', { ...failing('overloaded'), denials: [denial] }, null, 4],
  ])('%s exits with its code', (_name, event, message, exitCode) => {
    expect(turnEnd({ event, message }, 'c-1').exitCode).toBe(exitCode)
  })

  test('has an answer only when it completed', () => {
    expect(turnEnd({ event: ended(), message: 'yes' }, 'c-1').answer).toBe('yes')
    expect(turnEnd({ event: failing('auth'), message: 'half' }, 'c-1').answer).toBeNull()
  })
})

describe('a turn that was stopped', () => {
  const timeUp = new StoppedError(7, { code: 'timeout', message: 'late' })

  test.each<[string, StoppedError, EventOf<'turn.ended'>, ExitCode]>([
    ['by SIGINT', new StoppedError(130), ended({ outcome: 'interrupted' }), 130],
    ['by SIGTERM after a denial', new StoppedError(143), ended({ outcome: 'interrupted', denials: [denial] }), 143],
    ['by SIGINT with a full disk', new StoppedError(130), failing('storageFailed'), 130],
    ['by its time limit', timeUp, ended({ outcome: 'interrupted' }), 7],
    ['by its time limit with a full disk', timeUp, failing('storageFailed'), 9],
    ['by its time limit after a denial', timeUp, ended({ outcome: 'interrupted', denials: [denial] }), 7],
    ['by its time limit while the provider failed', timeUp, failing('unreachable'), 7],
    ['because its reader left', new StoppedError(0), ended({ outcome: 'interrupted', denials: [denial] }), 0],
  ])('%s exits with its code', (_name, reason, event, exitCode) => {
    expect(stoppedTurn({ event, message: null }, reason, 'c-1').exitCode).toBe(exitCode)
  })

  test('by its time limit, but was quicker, has its answer', () => {
    expect(stoppedTurn({ event: ended(), message: 'yes' }, timeUp, 'c-1')).toMatchObject({ exitCode: 0, answer: 'yes' })
  })

  test('says why', () => {
    const event = ended({ outcome: 'interrupted' })
    expect(stoppedTurn({ event, message: null }, timeUp, 'c-1').failure).toEqual({ code: 'timeout', message: 'late' })
  })
})

test('an end has a failure exactly when its exit code is not 0', () => {
  const turns = [ended(), ended({ denials: [denial] }), ended({ outcome: 'interrupted' }), failing('auth')]
  const stops = [0, 7, 130, 143].map((code) => new StoppedError(code as ExitCode, code === 7 ? failure : undefined))
  const ends = [null, 'yes'].flatMap((message) =>
    turns.flatMap((event) => [
      turnEnd({ event, message }, 'c-1'),
      ...stops.map((reason) => stoppedTurn({ event, message }, reason, 'c-1')),
    ]),
  )
  expect(ends.filter((end) => (end.exitCode === 0) !== (end.failure === null))).toEqual([])
})

test('a run that came to no turn has the code of its failure', () => {
  const end = failedRun({ code: 'conversationNotFound', message: 'no' })
  expect(end).toMatchObject({ exitCode: 5, conversationId: null, outcome: null, answer: null, usage: null })
  expect(stoppedRun(new StoppedError(143), null)).toMatchObject({
    exitCode: 143,
    failure: { code: 'stopped', message: 'Stopped by SIGTERM.' },
  })
})
