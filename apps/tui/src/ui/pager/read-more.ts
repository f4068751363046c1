import type { ChunkEntry, GapEntry, PagerEntry } from '../../view/pager/entry.ts'
import type { PageRoom } from '../../view/pager/page.ts'
import type { ChunkRun } from './file-chunks.ts'
import { type GapEnd, type PageRequest, pageOf } from './history.ts'
import { type Pager, pageOn } from './pager.ts'

/** Request of the view that only the server or the process can carry out. */
export type PagerEffect =
  | { readonly kind: 'readItems'; readonly request: PageRequest; readonly id: string }
  | { readonly kind: 'readChunk'; readonly id: string; readonly file: string; readonly run: ChunkRun }
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

/** Reads the missing entries of the page and next to it. */
export function readAround(pager: Pager, room: PageRoom): PagerStep {
  const { rows } = pageOn(room, pager)
  const first = rows[0]?.index ?? 0
  const last = rows.at(-1)?.index ?? 0
  let step = pagerStep(pager)
  for (let index = Math.max(0, first - gapReach); index <= last + gapReach; index++) {
    const entry = room.entries[index]
    if (entry?.kind === 'gap') step = joined(step, readGap(step.pager, entry, index <= first ? 'lower' : 'upper'))
  }
  const chunks = chunksOn(pager, room, { first, last })
  return chunks.reduce((before, chunk) => joined(before, readChunk(before.pager, chunk)), step)
}

/** Returns the chunks to read: the first on the page, which may push others off it, else the chunks next to it. */
function chunksOn(
  { top }: Pager,
  { entries }: PageRoom,
  { first, last }: { readonly first: number; readonly last: number },
): readonly ChunkEntry[] {
  const missing = (from: number, to: number) =>
    entries.slice(Math.max(0, from), to + 1).filter((entry) => entry.kind === 'chunk' && entry.chunk === null)
  const on = missing(first, last)
  const next = top === null ? on.at(-1) : on[0]
  const around = next === undefined ? missing(first - chunkReach, last + chunkReach) : [next]
  return around.filter((entry) => entry.kind === 'chunk')
}

/** Reads on from an end of the gap, unless it is being read or could not be. */
export function readGap(pager: Pager, gap: GapEntry, end: GapEnd, isSearch = false): PagerStep {
  if (!mayRead(pager, gap)) return pagerStep(pager)
  const { after, before, id } = gap
  return pagerStep(begun(pager, id), {
    kind: 'readItems',
    id,
    request: pageOf({ kind: 'gap', after, before }, end, isSearch),
  })
}

/** Reads a chunk, or a run of them that a search goes through. */
export function readChunk(
  pager: Pager,
  { id, file, index, chunk, problem }: ChunkEntry,
  run: ChunkRun = { first: index, count: 1 },
): PagerStep {
  if (chunk !== null || !mayRead(pager, { id, problem })) return pagerStep(pager)
  return pagerStep(begun(pager, id), { kind: 'readChunk', id, file, run })
}

function mayRead(
  { reading }: Pager,
  { id, problem }: Pick<Exclude<PagerEntry, { kind: 'item' }>, 'id' | 'problem'>,
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
