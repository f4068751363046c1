import type { ModelEntry } from '@parley/models'
import type { EventOf, ItemId } from '@parley/protocol'
import { newestLines, type PastFold } from './compaction/past-facts.ts'
import type { RepeatedCalls } from './repeated-calls.ts'
import type { Answer, AnsweredCall, Block, Compacted, Fold, Mark, Place, ReadEvent } from './view-blocks.ts'
import { addBlock, emptyFold } from './view-fold.ts'

/**
 * View of the model, as JSON. Messages, responses and results are named by the places of their lines, so that it stays
 * small however long the conversation is.
 */
export interface ViewSnapshot {
  readonly blocks: readonly StoredBlock[]
  readonly outputs: readonly (readonly [itemId: ItemId, place: Place])[]
  readonly background: readonly (readonly [itemId: ItemId, title: string])[]
  readonly past: {
    readonly answers: PastFold['answers']
    readonly read: readonly string[]
    readonly changed: readonly string[]
    readonly asked: readonly (readonly [string, { readonly itemId: ItemId; readonly title: string }])[]
  }
  readonly repeated: StoredRepeated
  readonly marks: readonly (Extract<Mark, { kind: 'cleared' }> | StoredCompacted)[]
  readonly context: EventOf<'context.set'> | null
  readonly counted: {
    readonly inputTokens: number
    readonly estimate: number
    readonly mark: StoredCompacted | null
  } | null
  readonly draft: readonly string[]
  readonly sent: number
}

type StoredBlock = { readonly seq: number; readonly tokens: number } & (
  | { readonly kind: 'entry'; readonly entry: ModelEntry }
  | { readonly kind: 'sessionContext'; readonly file: string }
  | { readonly kind: 'userAct' | 'message'; readonly place: Place }
  | { readonly kind: 'response'; readonly place: Place; readonly calls: readonly StoredCall[] }
)

type StoredCompacted = Omit<Compacted, 'entries'>
type StoredCall = Pick<AnsweredCall, 'itemId' | 'answer'>

/** Rows that are open, each once; the calls name them by their index. */
interface StoredRepeated {
  readonly rows: readonly NonNullable<RepeatedCalls['row']>[]
  readonly row: number | null
  readonly places: readonly {
    readonly itemId: ItemId
    readonly row: number
    readonly nth: number
    readonly earlier: number
  }[]
}

export function snapshotOf(fold: Fold): ViewSnapshot {
  const { past, marks, context, counted, draft, sent } = fold
  return {
    blocks: fold.blocks.map(storedBlock),
    outputs: [...fold.outputs].map(([itemId, { place }]) => [itemId, place] as const),
    background: [...fold.background],
    past: {
      answers: newestLines(past.answers),
      read: newestLines(past.read),
      changed: [...past.changed],
      asked: [...past.asked],
    },
    repeated: storedRepeated(fold.repeated),
    marks: marks.map(storedMark),
    context,
    counted:
      counted === null
        ? null
        : { ...counts(counted), mark: counted.mark === null ? null : storedCompacted(counted.mark) },
    draft: [...draft],
    sent,
  }
}

/** Returns the fold that a snapshot was taken of. What it names by place is read when it is needed. */
export function foldOf(snapshot: ViewSnapshot, readEvent: ReadEvent): Fold {
  const fold = emptyFold(readEvent)
  const { past, counted } = snapshot
  for (const block of snapshot.blocks) addStored(fold, block)
  for (const [itemId, place] of snapshot.outputs) fold.outputs.set(itemId, { place, file: null })
  for (const [itemId, title] of snapshot.background) fold.background.set(itemId, title)
  fold.past.answers.push(...past.answers)
  for (const path of past.read) fold.past.read.add(path)
  for (const path of past.changed) fold.past.changed.add(path)
  for (const [id, question] of past.asked) fold.past.asked.set(id, question)
  restoreRepeated(fold.repeated, snapshot.repeated)
  fold.marks = snapshot.marks.map((mark) => (mark.kind === 'cleared' ? mark : { ...mark, entries: null }))
  fold.context = snapshot.context
  fold.counted = counted === null ? null : { ...counts(counted), mark: compactedOf(fold, counted.mark) }
  fold.draft = [...snapshot.draft]
  fold.sent = snapshot.sent
  return fold
}

function counts({ inputTokens, estimate }: { readonly inputTokens: number; readonly estimate: number }) {
  return { inputTokens, estimate }
}

/** Returns the compaction of the fold, or one that was undone since and still explains the counts. */
function compactedOf({ marks }: Fold, stored: StoredCompacted | null): Compacted | null {
  if (stored === null) return null
  const held = marks.find((mark): mark is Compacted => mark.kind === 'compacted' && mark.seq === stored.seq)
  return held ?? { ...stored, entries: null }
}

function storedBlock(block: Block): StoredBlock {
  const { seq, tokens } = block
  switch (block.kind) {
    case 'entry':
      return { kind: block.kind, seq, tokens, entry: block.entry }
    case 'sessionContext':
      return { kind: block.kind, seq, tokens, file: block.file }
    case 'userAct':
    case 'message':
      return { kind: block.kind, seq, tokens, place: block.place }
    case 'response': {
      const calls = block.calls.map(({ itemId, answer }) => ({ itemId, answer: storedAnswer(answer) }))
      return { kind: block.kind, seq, tokens, place: block.place, calls }
    }
  }
}

function storedAnswer(answer: Answer | null): Answer | null {
  if (answer === null) return null
  const { place, tokens, lineTokens, images } = answer
  return { place, tokens, lineTokens, images }
}

function addStored(fold: Fold, block: StoredBlock): void {
  switch (block.kind) {
    case 'entry':
      fold.blocks.push({ ...block })
      break
    case 'sessionContext':
      fold.blocks.push({ ...block, entry: null })
      break
    case 'userAct':
      fold.blocks.push({ kind: 'userAct', ...spotOf(block), entry: null })
      break
    case 'message':
      fold.blocks.push({ kind: 'message', ...spotOf(block), content: null, entry: null })
      break
    case 'response': {
      const calls = block.calls.map(({ itemId, answer }) => ({ itemId, answer, call: null, read: null }))
      addBlock(fold, { ...block, calls, entry: null })
    }
  }
}

function spotOf({ seq, tokens, place }: Extract<StoredBlock, { kind: 'userAct' | 'message' }>) {
  return { seq, tokens, place }
}

function storedMark(mark: Mark): ViewSnapshot['marks'][number] {
  return mark.kind === 'cleared' ? mark : storedCompacted(mark)
}

function storedCompacted({ kind, seq, summary, carried, hidden }: Compacted): StoredCompacted {
  return { kind, seq, summary, carried, hidden }
}

function storedRepeated({ row, places }: RepeatedCalls): StoredRepeated {
  const rows = [...new Set([...(row === null ? [] : [row]), ...[...places.values()].map((place) => place.row)])]
  return {
    rows: rows.map((one) => ({ ...one })),
    row: row === null ? null : rows.indexOf(row),
    places: [...places].map(([itemId, place]) => ({ ...place, itemId, row: rows.indexOf(place.row) })),
  }
}

function restoreRepeated(repeated: RepeatedCalls, stored: StoredRepeated): void {
  const rows = stored.rows.map((row) => ({ ...row }))
  repeated.row = stored.row === null ? null : (rows[stored.row] ?? null)
  for (const { itemId, row: index, ...place } of stored.places) {
    const row = rows[index]
    if (row !== undefined) repeated.places.set(itemId, { ...place, row })
  }
}
