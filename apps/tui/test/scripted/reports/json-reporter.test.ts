import { expect, test } from 'vitest'
import { createJsonReporter } from '../../../src/scripted/reports/reporter.ts'
import { completed, delta, envelopes, runEnd } from './report-events.ts'

function record() {
  const stdout: string[] = []
  const stderr: string[] = []
  const reporter = createJsonReporter(
    { line: (text) => void stdout.push(text) },
    { write: (text) => void stderr.push(text) },
  )
  return { reporter, stdout, stderr: () => stderr.join('') }
}

test('each event is one line, as the server sent it', () => {
  const { reporter, stdout } = record()
  const events = envelopes(delta('i-1', 'two\nlines'), delta('i-1', '\u2028'))
  for (const envelope of events) reporter.event(envelope)
  expect(stdout.join('')).not.toContain('\n')
  expect(stdout.map((line) => JSON.parse(line))).toEqual(events)
})

test('the last line tells how the run ended', () => {
  const { reporter, stdout, stderr } = record()
  reporter.end(runEnd({ answer: 'yes' }))
  expect(stdout.map((line) => JSON.parse(line))).toEqual([{ type: 'run.ended', ...runEnd({ answer: 'yes' }) }])
  expect(stderr()).toBe('')
})

test('a problem and a failure are told to people as well', () => {
  const { reporter, stdout, stderr } = record()
  reporter.problem('unknown key')
  reporter.end(runEnd({ exitCode: 8, failure: { code: 'unreachable', message: 'Nobody there.' } }))
  expect(stdout).toHaveLength(1)
  expect(stderr()).toBe('parley: unknown key\nparley: Nobody there.\n')
})

test('what a tool server lacks is told to people as well, other notices are not', () => {
  const { reporter, stdout, stderr } = record()
  const notice = (code: string, title: string) =>
    completed({ id: 'i-1', type: 'notice', status: 'completed', level: 'info', code, title, text: '' })
  for (const envelope of envelopes(notice('mcpToolsChanged', 'It has two tools "go".'), notice('link', 'It is back.')))
    reporter.event(envelope)
  expect(stdout).toHaveLength(2)
  expect(stderr()).toBe('parley: It has two tools "go".\n')
})
