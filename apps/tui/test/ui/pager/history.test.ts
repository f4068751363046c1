import type { CompletedItem } from '@parley/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  boundHistory,
  fillGap,
  followHistory,
  type Gap,
  type History,
  openHistory,
  type PageRequest,
  pageOf,
} from '../../../src/ui/pager/history.ts'
import { answer } from '../../view/scenes/conversation.ts'
import { logOf, readPage, stateOf } from './pager-scene.ts'

const items = (count: number, text = 'text') => Array.from({ length: count }, (_, n) => answer(text, `m${n}`))
const loaded = (history: History) => history.flatMap((part) => (part.kind === 'items' ? part.items : []))
const ids = (completed: readonly CompletedItem[]) => completed.map(({ item }) => item.id)

function gapIn(history: History): Gap {
  const gap = history.find((part) => part.kind === 'gap')
  if (gap === undefined) throw new Error('there is no gap')
  return gap
}

describe('a history', () => {
  test('has a gap only where items are missing', () => {
    expect(openHistory(stateOf(items(30), 30)).map(({ kind }) => kind)).toEqual(['items'])
    expect(openHistory(stateOf(items(30), 10)).map(({ kind }) => kind)).toEqual(['gap', 'items'])
    expect(openHistory(stateOf([], 10))).toEqual([])
  })

  test('has each item once and in order, however its gaps are read', () => {
    const end = fc.constantFrom<PageRequest['end']>('upper', 'lower')
    const given = { count: fc.integer({ min: 1, max: 1_500 }), held: fc.nat(20), ends: fc.array(end, { minLength: 1 }) }
    fc.assert(
      fc.property(fc.record(given), ({ count, held, ends }) => {
        const log = logOf(items(count))
        let history = openHistory(stateOf(items(count), Math.min(count, held)))
        for (let reads = 0; history.some(({ kind }) => kind === 'gap'); reads++) {
          const request = pageOf(gapIn(history), ends[reads % ends.length] ?? 'lower')
          history = fillGap(history, request, readPage(log, request))
          const seqs = loaded(history).map(({ seq }) => seq)
          expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other))
        }
        expect(ids(loaded(history))).toEqual(ids(log))
      }),
      { numRuns: 40 },
    )
  })

  test('keeps a smaller gap where a page was cut to what fits in a reply', () => {
    const log = logOf(items(900))
    const history = openHistory(stateOf(items(900), 10))
    const request = pageOf(gapIn(history), 'upper')
    const page = readPage(log, request)
    const filled = fillGap(history, request, { items: page.items.slice(-5), more: true })
    expect(filled.map(({ kind }) => kind)).toEqual(['gap', 'items', 'gap', 'items'])
  })

  test('takes in what is completed, and notices a break', () => {
    const before = openHistory(stateOf(items(250), 200))
    expect(ids(loaded(followHistory(before, stateOf(items(260), 200)))).at(-1)).toBe('m259')
    expect(followHistory(before, stateOf(items(250), 200))).toBe(before)
    const broken = followHistory(before, stateOf(items(900), 200))
    expect(broken.map(({ kind }) => kind)).toEqual(['gap', 'items', 'gap', 'items'])
  })

  test('gives up items far from the screen, which can be read again', () => {
    const log = logOf(items(4_000, 'x'.repeat(20_000)))
    let history: History = [{ kind: 'items', items: log }]
    history = boundHistory(history, ['m1000'])
    const kept = ids(loaded(history))
    expect(kept.length).toBeLessThan(1_500)
    expect(kept).toContain('m1000')
    expect(kept.at(-1)).toBe('m3999')
    while (history.some(({ kind }) => kind === 'gap')) {
      const request = pageOf(gapIn(history), 'lower')
      history = fillGap(history, request, readPage(log, request))
    }
    expect(ids(loaded(history))).toEqual(ids(log))
  })
})
