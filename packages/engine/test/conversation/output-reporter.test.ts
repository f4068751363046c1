import type { ConversationEvent } from '@parley/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Conversation } from '../../src/conversation/conversation.ts'
import { createOutputReporter } from '../../src/conversation/output-reporter.ts'
import { RefusedEventError } from '../../src/replies/refused-event.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function reporter(seenBytes = 0) {
  const events: ConversationEvent[] = []
  const clock = { now: () => 0, elapsed: () => Date.now(), sleep: () => Promise.resolve() }
  const conversation = { record: (event: ConversationEvent) => void events.push(event) } as unknown as Conversation
  const made = createOutputReporter(conversation, clock, { itemId: 'i1', seenBytes })
  const deltas = () => events.flatMap((event) => (event.type === 'item.delta' ? [event.text] : [])).join('')
  const progress = () => events.flatMap((event) => (event.type === 'item.progress' ? [event] : []))
  return { ...made, events, deltas, progress }
}

describe('the output of a running command', () => {
  it('is shown whole when it is short', () => {
    const { report, stop, deltas, progress } = reporter()
    report(Buffer.from('one\n'))
    report(Buffer.from('two\n'))
    stop()
    expect([deltas(), progress()]).toEqual(['one\ntwo\n', []])
  })

  it('is shown for its first 64 KiB, then as a byte count with the newest lines', () => {
    const { report, stop, deltas, progress } = reporter()
    report(Buffer.from('a'.repeat(60_000)))
    report(Buffer.from(`${'b'.repeat(10_000)}end\n`))
    stop()
    expect(deltas()).toBe('a'.repeat(60_000) + 'b'.repeat(5536))
    expect(progress()).toMatchObject([{ totalBytes: 70_004, tail: expect.stringMatching(/^b+end\n$/) }])
  })

  it('fills no state that has no room: the rest comes with the end of the item, and nothing is thrown into its process', () => {
    const tried: string[] = []
    const record = ({ type }: ConversationEvent) => {
      tried.push(type)
      throw new RefusedEventError('stateTooLarge', 'full')
    }
    const clock = { now: () => 0, elapsed: () => Date.now(), sleep: () => Promise.resolve() }
    const conversation = { record } as unknown as Conversation
    const { report, stop } = createOutputReporter(conversation, clock, { itemId: 'i1' })
    for (let n = 0; n < 3; n++) {
      report(Buffer.from('one\n'))
      vi.advanceTimersByTime(100)
    }
    report(Buffer.alloc(70_000, 'x'))
    vi.advanceTimersByTime(1000)
    stop()
    expect(tried).toEqual(['item.delta', 'item.progress'])
  })

  it('goes on behind what an earlier server has recorded', () => {
    const short = reporter(5)
    for (const chunk of ['on', 'e\ntw', 'o\n']) short.report(Buffer.from(chunk))
    short.stop()
    expect(short.deltas()).toBe('wo\n')
    const long = reporter(70_000)
    long.report(Buffer.alloc(69_000, 'x'))
    long.report(Buffer.from(`${'y'.repeat(1000)}\nend\n`))
    long.stop()
    expect([long.deltas(), long.progress()]).toMatchObject([
      '',
      [{ totalBytes: 70_005, tail: expect.stringMatching(/y\nend\n$/) }],
    ])
  })

  it('includes the last lines before a pause, and progress comes at most four times a second', () => {
    const { report, stop, progress } = reporter()
    report(Buffer.alloc(70_000, 'x'))
    for (let n = 0; n < 100; n++) {
      vi.advanceTimersByTime(10)
      report(Buffer.from(`${n}\n`))
    }
    vi.advanceTimersByTime(1000)
    expect(progress().length).toBeLessThanOrEqual(6)
    expect(progress().at(-1)).toMatchObject({ tail: expect.stringMatching(/98\n99\n$/) })
    stop()
  })

  it('holds whole characters when chunks or the newest lines begin inside one', () => {
    const { report, stop, deltas, progress } = reporter()
    const euro = Buffer.from('€')
    report(euro.subarray(0, 1))
    report(euro.subarray(1))
    report(Buffer.from('€'.repeat(30_000)))
    stop()
    expect(deltas().startsWith('€€€')).toBe(true)
    expect(progress().at(-1)?.tail).toMatch(/^€+$/)
  })

  it('is not reported after the stop', () => {
    const { report, stop, events } = reporter()
    report(Buffer.alloc(70_000, 'x'))
    report(Buffer.from('more'))
    stop()
    const before = events.length
    vi.advanceTimersByTime(1000)
    expect(events).toHaveLength(before)
  })
})
