import type { ModelEntry } from '@parley/models'
import type { EventOf, ItemId, MessageId } from '@parley/protocol'
import type { Counted } from './estimate.ts'
import { newestLines, type PastFold } from './past-facts.ts'
import type { RepeatedCalls } from './repeated-calls.ts'
import type { AnsweredCall, CallResult, Compacted, Fold, FoldBlock, LogOffset, Mark } from './view-blocks.ts'
import { addBlock } from './view-fold.ts'

/**
 * Part of the view of the model, as JSON. Messages, responses and results are named by the places of their lines, so that
 * all parts are small however long the conversation is; each has at most `partRows` rows.
 */
export type ViewPart =
  | { readonly head: ViewHead }
  | { readonly blocks: readonly StoredBlock[] }
  | { readonly outputs: readonly (readonly [itemId: ItemId, place: LogOffset])[] }

/** Parts of a view beside its blocks and outputs. */
interface ViewHead {
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
  readonly counted: (Counted & { readonly mark: StoredCompacted | null }) | null
  /** Left out while no message waits. */
  readonly queued?: readonly (readonly [messageId: MessageId, entries: readonly ModelEntry[]])[]
  readonly draft: readonly string[]
  readonly sent: number
}

/** Rows of a part; a part is written, parsed or compared in one step, in about a millisecond. */
const partRows = 1000

type StoredBlock = { readonly seq: number; readonly tokens: number } & (
  | { readonly kind: 'entry'; readonly entry: ModelEntry }
  | { readonly kind: 'sessionContext'; readonly file: string }
  | { readonly kind: 'userAct' | 'message'; readonly place: LogOffset }
  | { readonly kind: 'response'; readonly place: LogOffset; readonly calls: readonly StoredCall[] }
)

type StoredCompacted = Omit<Compacted, 'entries'>
type StoredCall = Pick<AnsweredCall, 'itemId' | 'answer'>

/** Rows that are open, each once; the calls name them by their index. */
interface StoredRepeated {
  readonly rows: readonly NonNullable<RepeatedCalls['row']>[]
  readonly row: number | null
  readonly places: readonly { itemId: ItemId; row: number; nth: number; earlier: number }[]
}

/** Yields the parts of a fold, the same ones for equal folds. Nothing may be folded before all were taken. */
export function* partsOf(fold: Fold): Generator<ViewPart, void, undefined> {
  yield { head: headOf(fold) }
  for (let at = 0; at < fold.blocks.length; at += partRows)
    yield { blocks: fold.blocks.slice(at, at + partRows).map(storedBlock) }
  const outputs = [...fold.calls.outputs].map(([itemId, { place }]) => [itemId, place] as const)
  for (let at = 0; at < outputs.length; at += partRows) yield { outputs: outputs.slice(at, at + partRows) }
}

function headOf({ calls, past, marks, context, counted, queued, draft, sent }: Fold): ViewHead {
  const { background, repeated } = calls
  return {
    background: [...background],
    past: {
      answers: newestLines(past.answers),
      read: newestLines(past.read),
      changed: [...past.changed],
      asked: [...past.asked],
    },
    repeated: storedRepeated(repeated),
    marks: marks.map(storedMark),
    context,
    counted:
      counted === null
        ? null
        : { ...counts(counted), mark: counted.mark === null ? null : storedCompacted(counted.mark) },
    ...(queued.size === 0 ? {} : { queued: [...queued].map(([id, entries]) => [id, [...entries]] as const) }),
    draft: [...draft],
    sent,
  }
}

/** Adds a part to an empty fold, in the order of the parts. Contents named by place are read when needed. */
export function addPart(fold: Fold, part: ViewPart): void {
  if ('head' in part) addHead(fold, part.head)
  else if ('blocks' in part) for (const block of part.blocks) addStored(fold, block)
  else for (const [itemId, place] of part.outputs) fold.calls.outputs.set(itemId, { place, file: null })
}

function addHead(fold: Fold, head: ViewHead): void {
  const { past, counted } = head
  for (const [itemId, title] of head.background) fold.calls.background.set(itemId, title)
  for (const answer of past.answers) fold.past.answers.push(answer)
  for (const path of past.read) fold.past.read.add(path)
  for (const path of past.changed) fold.past.changed.add(path)
  for (const [id, question] of past.asked) fold.past.asked.set(id, question)
  restoreRepeated(fold.calls.repeated, head.repeated)
  fold.marks = head.marks.map((mark) => (mark.kind === 'cleared' ? mark : { ...mark, entries: null }))
  fold.context = head.context
  fold.counted = counted === null ? null : { ...counts(counted), mark: compactedOf(fold, counted.mark) }
  for (const [messageId, entries] of head.queued ?? []) fold.queued.set(messageId, [...entries])
  fold.draft = [...head.draft]
  fold.sent = head.sent
}

function counts({ inputTokens, estimate }: Counted) {
  return { inputTokens, estimate }
}

/** Returns the compaction of the fold, or one that was undone since and still explains the counts. */
function compactedOf({ marks }: Fold, stored: StoredCompacted | null): Compacted | null {
  if (stored === null) return null
  const held = marks.find((mark): mark is Compacted => mark.kind === 'compacted' && mark.seq === stored.seq)
  return held ?? { ...stored, entries: null }
}

function storedBlock(block: FoldBlock): StoredBlock {
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

function storedAnswer(answer: CallResult | null): CallResult | null {
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

function storedMark(mark: Mark): ViewHead['marks'][number] {
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
