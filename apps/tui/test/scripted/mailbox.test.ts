import type { Conversation } from '@parley/client'
import { initialState } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { StoppedError } from '../../src/scripted/end/stopper.ts'
import type { Turns } from '../../src/scripted/follow-turns.ts'
import { createMailbox } from '../../src/scripted/mailbox.ts'
import type { RejectedLine } from '../../src/scripted/reports/reporter.ts'

const never = new AbortController().signal

/** Mailbox whose turns end only when they are told to. */
function mailboxOf({ question = false } = {}) {
  const turn = Promise.withResolvers<never>()
  const rejected: RejectedLine[] = []
  const { core, window } = initialState('c-12345678')
  const approvals = question ? { a: { state: 'pending' } } : {}
  const conversation = {
    id: 'c-12345678',
    state: { core: { ...core, approvals }, window },
    subscribe: () => () => undefined,
  }
  const turns = { current: null, earlier: null, ask: () => turn.promise, steer: () => turn.promise }
  const mailbox = createMailbox({
    conversation: conversation as unknown as Conversation,
    reporter: {
      event: () => undefined,
      problem: () => undefined,
      rejected: (line) => void rejected.push(line),
      end: () => undefined,
    },
    turns: turns as unknown as Turns,
    fail: () => undefined,
  })
  return { mailbox, rejected, endTurns: () => turn.reject(new Error('over')) }
}

/** Posts so many messages, and lets the first begin. */
async function post({ mailbox }: ReturnType<typeof mailboxOf>, count: number, text = 'hi'): Promise<void> {
  for (let line = 1; line <= count; line++) mailbox.post({ input: [{ type: 'text', text }] }, line)
  await Promise.resolve()
}

async function hasRoom({ mailbox }: ReturnType<typeof mailboxOf>): Promise<boolean> {
  const room = mailbox.room(never).then(() => true)
  return Promise.race([room, new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))])
}

describe('the messages that wait', () => {
  test('do not pause the reading of stdin by their number, as an interrupt may come behind them', async () => {
    const many = mailboxOf()
    await post(many, 10_000)
    expect(await hasRoom(many)).toBe(true)
  })

  test('pause it at 64 MiB, until one begins', async () => {
    const long = mailboxOf()
    await post(long, 5, 'x'.repeat(16 * 1024 * 1024))
    expect(await hasRoom(long)).toBe(false)
    const room = long.mailbox.room(never)
    long.endTurns()
    await room
  })

  test('do not while a question is open, whose answer may come behind them; at 128 MiB the next is refused then', async () => {
    const asked = mailboxOf({ question: true })
    const text = 'x'.repeat(16 * 1024 * 1024)
    await post(asked, 8, text)
    asked.mailbox.post({ input: [{ type: 'text', text }] }, 9)
    expect(await hasRoom(asked)).toBe(true)
    expect(asked.rejected).toEqual([])
    asked.mailbox.post({ input: [] }, 10)
    expect(asked.rejected).toMatchObject([{ line: 10, failure: { code: 'inboxFull' } }])
  })

  test('are refused one by one when the run is stopped', async () => {
    const stopped = mailboxOf()
    await post(stopped, 3)
    stopped.mailbox.rejectAll(new StoppedError(9, { code: 'storageFailed', message: 'gone' }))
    expect(stopped.rejected.map(({ line }) => line)).toEqual([2, 3])
  })
})
