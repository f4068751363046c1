import { describe, expect, it } from 'vitest'
import { findId, idsWith } from '../../src/sessions/find-id.ts'

const FIRST = '019a1b2c-3d4e-7f50-8a6b-7c8d9e0fa1b2'
const SECOND = '019a1b2c-9999-7f50-8a6b-0123456789ab'
const THIRD = '019b0000-0000-7000-8000-0123ffff89ab'
const IDS = [FIRST, SECOND, THIRD]

describe('finding a conversation by what was typed', () => {
  it('finds by the last digits', () => {
    for (const id of IDS) expect(findId(IDS, id.slice(-8))).toEqual({ kind: 'one', id, isWhole: true })
  })

  it('takes a unique beginning or end, with or without dashes, in capitals too', () => {
    for (const typed of [FIRST, '019a1b2c-3', '019a1b2c3d', 'A1B2', ' 8a6b-7c8d9e0fa1b2 ']) {
      expect(findId(IDS, typed)).toMatchObject({ kind: 'one', id: FIRST })
    }
  })

  it('takes a unique beginning of the short form', () => {
    expect(findId(IDS, '9e0f')).toEqual({ kind: 'one', id: FIRST, isWhole: false })
    expect(findId(IDS, 'FFFF')).toEqual({ kind: 'one', id: THIRD, isWhole: false })
    expect(findId(IDS, '4e7f')).toMatchObject({ kind: 'none' })
  })

  it('returns the ids that contain the text anywhere', () => {
    expect(idsWith(IDS, '7F50')).toEqual([FIRST, SECOND])
    expect(idsWith(IDS, '8000-0123')).toEqual([THIRD])
    expect(idsWith(IDS, ' ')).toEqual([])
  })

  it('gives all that match when there are several', () => {
    expect(findId(IDS, '019a1b2c')).toEqual({ kind: 'many', ids: [FIRST, SECOND] })
    expect(findId(IDS, '89ab')).toEqual({ kind: 'many', ids: [SECOND, THIRD] })
  })

  it('returns the nearest ids for a typing error, nearest first, and none for other text', () => {
    expect(findId(IDS, '9e0fa1c2')).toEqual({ kind: 'none', nearest: [FIRST] })
    expect(findId(IDS, '4fff89bb')).toEqual({ kind: 'none', nearest: [THIRD, SECOND] })
    expect(findId(IDS, 'zzzzzzzz')).toEqual({ kind: 'none', nearest: [] })
    expect(findId(IDS, ' ')).toEqual({ kind: 'none', nearest: [] })
    expect(findId([], 'a')).toEqual({ kind: 'none', nearest: [] })
  })
})
