import { waitUntil } from '@parley/testkit'
import { expect, test } from 'vitest'
import { createLineReader, rejectRest } from '../../../src/scripted/input/input-lines.ts'
import type { RejectedLine } from '../../../src/scripted/reports/reporter.ts'

const failure = { code: 'timeout', message: 'The time limit ran out.' }
const pace = { isBehind: false, drained: () => Promise.resolve() }
const say = '{"type":"message","text":"hi"}\n'

test('lines of a run that was stopped are refused, also those that come after stdin was silent; an interrupt is not', async () => {
  const later = Promise.withResolvers<string>()
  async function* stdin() {
    yield say
    yield await later.promise
  }
  const rejected: RejectedLine[] = []
  const lines = createLineReader(stdin())
  await rejectRest({ lines, failure, pace, reject: (line) => void rejected.push(line) })
  expect(rejected).toEqual([{ line: 1, failure }])
  later.resolve(`${say}{"type":"interrupt"}\noops\n{"type":"answer","approvalId":"a-1","decision":"approved"}\n`)
  await waitUntil(() => rejected.length === 4, { what: 'the lines that came later' })
  expect(rejected.slice(1)).toEqual([
    { line: 2, failure },
    { line: 4, failure: { code: 'invalidInput', message: 'It is not JSON.' } },
    { line: 5, failure },
  ])
})
