import type { ChunkEntry, Entry, GapEntry } from '../../view/pager/entry.ts'
import type { PageRoom } from '../../view/pager/page.ts'
import { type GapEnd, type PageRequest, pageOf } from './history.ts'
import { type Pager, pageOn } from './pager.ts'

/** Request of the view that only the server or the process can carry out. */
export type PagerEffect =
  | { readonly kind: 'readItems'; readonly request: PageRequest; readonly id: string }
  | { readonly kind: 'readChunk'; readonly id: string; readonly file: string; readonly index: number }
  | { readonly kind: 'copy'; readonly text: string; readonly what: string }
  | { readonly kind: 'suspend' | 'leave' }

export interface PagerStep {
  readonly pager: Pager
  readonly effects: readonly PagerEffect[]
}

export function pagerStep(pager: Pager, ...effects: readonly PagerEffect[]): PagerStep {
  return { pager, effects }
}

/** Entries around the page that are read before they are on the screen. */
const gapReach = 8
const chunkReach = 1

/** Reads what is missing on the page and next to it. */
export function readAround(pager: Pager, room: PageRoom): PagerStep {
  const { rows } = pageOn(room, pager)
  const first = rows[0]?.index ?? 0
  const last = rows.at(-1)?.index ?? 0
  let step = pagerStep(pager)
  for (let index = Math.max(0, first - gapReach); index <= last + gapReach; index++) {
    const entry = room.entries[index]
    if (entry === undefined || entry.kind === 'item') continue
    const isNear = index >= first - chunkReach && index <= last + chunkReach
    if (entry.kind === 'gap') step = joined(step, readGap(step.pager, entry, index <= first ? 'lower' : 'upper'))
    else if (isNear) step = joined(step, readChunk(step.pager, entry))
  }
  return step
}

/** Reads on from an end of the gap, unless it is being read or could not be. */
export function readGap(pager: Pager, gap: GapEntry, end: GapEnd): PagerStep {
  if (!mayRead(pager, gap)) return pagerStep(pager)
  const { after, before, id } = gap
  return pagerStep(begun(pager, id), { kind: 'readItems', id, request: pageOf({ kind: 'gap', after, before }, end) })
}

export function readChunk(pager: Pager, { id, file, index, chunk, problem }: ChunkEntry): PagerStep {
  if (chunk !== null || !mayRead(pager, { id, problem })) return pagerStep(pager)
  return pagerStep(begun(pager, id), { kind: 'readChunk', id, file, index })
}

function mayRead(
  { reading }: Pager,
  { id, problem }: Pick<Exclude<Entry, { kind: 'item' }>, 'id' | 'problem'>,
): boolean {
  return !reading.has(id) && problem === null
}

function begun(pager: Pager, id: string): Pager {
  return { ...pager, reading: new Set(pager.reading).add(id) }
}

/** Notes that a reading has ended, with the reason if it failed. */
export function ended(pager: Pager, id: string, problem: string | null): Pager {
  const reading = new Set(pager.reading)
  reading.delete(id)
  const problems = problem === null ? pager.problems : new Map(pager.problems).set(id, problem)
  return { ...pager, reading, problems }
}

export function joined({ effects }: PagerStep, next: PagerStep): PagerStep {
  return { pager: next.pager, effects: [...effects, ...next.effects] }
}
