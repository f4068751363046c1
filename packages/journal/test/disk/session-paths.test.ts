import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conversationIdOf, dayOf, idOfLogName, sessionPaths, tornPath } from '../../src/disk/session-paths.ts'

/** An id made at that time, as any UUIDv7 is. */
function idAt(ms: number, rest = '7f50-8a6b-7c8d9e0fa1b2'): string {
  const clock = ms.toString(16).padStart(12, '0')
  return `${clock.slice(0, 8)}-${clock.slice(8)}-${rest}`
}

describe('the paths of a conversation', () => {
  it('are told by its id alone, by the day in UTC', () => {
    const id = idAt(Date.UTC(2025, 0, 31, 23, 59, 59, 999))
    const stem = `/home/p/sessions/2025/01/31/${id}`
    expect(sessionPaths('/home/p', id)).toEqual({
      folder: '/home/p/sessions/2025/01/31',
      folders: ['', '/2025', '/2025/01', '/2025/01/31']
        .map((end) => `/home/p/sessions${end}`)
        .toReversed()
        .concat('/home/p'),
      deleted: `/home/p/sessions/deleted/${id}.jsonl`,
      log: `${stem}.jsonl`,
      checkpoint: `${stem}.checkpoint`,
      acked: `${stem}.acked`,
      lock: `${stem}.lock`,
      owner: `${stem}.owner.json`,
      sideFiles: `${stem}.files`,
      scratch: `/home/p/scratch/${id}`,
      snapshots: '/home/p/snapshots',
    })
    expect(tornPath(`${stem}.jsonl`, 2)).toBe(`${stem}.torn-2`)
  })

  it('lead back to the id, for any time', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 48 - 1), (ms) => {
        const id = idAt(ms)
        const log = sessionPaths('/h', id)?.log ?? ''
        expect(conversationIdOf(log)).toBe(id)
        expect(idOfLogName(`${id}.jsonl`)).toBe(id)
        const [year, month, day] = dayOf(id)
        expect(Date.UTC(Number(year), Number(month) - 1, Number(day))).toBe(Math.floor(ms / 86_400_000) * 86_400_000)
      }),
    )
  })

  it('are none for what is no id, so that none leads elsewhere', () => {
    const id = idAt(0)
    const wrong = ['', '../../etc/passwd', id.toUpperCase(), `${id}/..`, `${id}\n`, id.replace('-7', '-4'), id.slice(1)]
    for (const text of wrong) expect(sessionPaths('/h', text)).toBeNull()
  })

  it('of other files beside a log are not taken for logs', () => {
    const id = idAt(1)
    for (const name of [`${id}.lock`, `${id}.jsonl.tmp`, `${id}.torn-1`, 'index.jsonl', id]) {
      expect(idOfLogName(name)).toBeNull()
    }
  })
})
