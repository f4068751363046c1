import { expect, test } from 'vitest'
import { farewell, type Leaving } from '../../src/conversation/greeting-and-farewell.ts'
import { after, command, requested, started, turnEnded, turnStarted } from '../view/scenes/conversation.ts'

const rests = after(turnStarted, turnEnded())
const runs = after(turnStarted)
const asks = after(turnStarted, started(command('make')), requested())
const leaving: Leaving = {
  shortId: '0a1b2c3d',
  state: rests,
  readOnly: false,
  attached: false,
  detached: false,
  ephemeral: false,
  hasCompany: false,
  server: null,
  isLogGone: false,
}

const cases: readonly { what: string; given: Partial<Leaving>; line: string | null }[] = [
  { what: 'a conversation at rest', given: {}, line: 'To go on: parley resume 0a1b2c3d' },
  {
    what: 'a log that was deleted',
    given: { isLogGone: true },
    line: 'Once its log is back: parley resume 0a1b2c3d',
  },
  {
    what: 'a turn that runs',
    given: { state: runs },
    line: 'To go on: parley resume 0a1b2c3d (the turn that ran is stopped; /detach lets one go on)',
  },
  {
    what: 'a turn that others look after',
    given: { state: runs, hasCompany: true },
    line: 'To go on: parley resume 0a1b2c3d',
  },
  { what: 'a question, which is parked', given: { state: asks }, line: 'To go on: parley resume 0a1b2c3d' },
  {
    what: 'a turn that was detached',
    given: { state: runs, detached: true },
    line: 'It goes on without you. To come back: parley attach 0a1b2c3d',
  },
  {
    what: 'a question that was detached',
    given: { state: asks, detached: true },
    line: 'Its question waits for you. To come back: parley attach 0a1b2c3d',
  },
  { what: 'nothing that runs, detached', given: { detached: true }, line: 'To come back: parley attach 0a1b2c3d' },
  {
    what: 'a window that watched',
    given: { readOnly: true, attached: true, state: runs },
    line: 'To watch again: parley attach --read-only 0a1b2c3d',
  },
  {
    what: 'a view of the log',
    given: { readOnly: true },
    line: null,
  },
  { what: 'what is not kept', given: { ephemeral: true }, line: null },
]

test.each(cases)('on leaving $what the line is $line', ({ given, line }) => {
  expect(farewell({ ...leaving, ...given })).toBe(line)
})
