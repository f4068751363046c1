import type { ModelCall, ModelEntry } from '@parley/models'
import type { ContentItem, EventOf, ItemId, ItemOf } from '@parley/protocol'
import type { PastFold } from './compaction/past-facts.ts'
import type { RepeatedCalls } from './repeated-calls.ts'

export type Block = { readonly seq: number } & (
  | { readonly kind: 'entry'; readonly entry: ModelEntry }
  | { readonly kind: 'sessionContext'; readonly file: string; entry: ModelEntry | null }
  | { readonly kind: 'message'; readonly content: readonly ContentItem[]; entry: ModelEntry | null }
  | { readonly kind: 'response'; readonly entry: ModelEntry; readonly calls: readonly AnsweredCall[] }
)

type StoredImage = NonNullable<ItemOf<'toolCall'>['images']>[number]

export interface AnsweredCall {
  readonly call: ModelCall
  readonly itemId: ItemId
  result: ModelEntry | null
  /** Line that stands for the result where it is cleared. */
  line: ModelEntry | null
  /** Images of the result. */
  images: readonly StoredImage[]
  /** Result with the content of its images; null until it is read. */
  shown: ModelEntry | null
}

/** Compaction that holds. */
type Mark = { readonly seq: number } & (
  | { readonly kind: 'cleared'; readonly itemIds: readonly ItemId[] }
  | {
      readonly kind: 'compacted'
      readonly summary: string
      readonly carried: string
      /** Number of blocks that it stands for. */
      readonly hidden: number
      entries: readonly ModelEntry[] | null
    }
)

export type Compacted = Extract<Mark, { kind: 'compacted' }>

/** State of the fold, changed in place, since a conversation may have thousands of blocks. */
export interface Fold {
  readonly blocks: Block[]
  readonly calls: Map<ItemId, AnsweredCall>
  readonly outputFiles: Map<ItemId, string>
  /** Titles of the commands left in the background, by their items. */
  readonly background: Map<ItemId, string>
  readonly past: PastFold
  readonly repeated: RepeatedCalls
  marks: readonly Mark[]
  context: EventOf<'context.set'> | null
  /** Newest counts of the provider, with the estimate of the blocks that it had counted. */
  counted: { readonly inputTokens: number; readonly estimate: number; readonly mark: Compacted | null } | null
  /** Message texts of an incomplete response. */
  draft: string[]
  /** Number of blocks that were sent or answered a request; later blocks have not been sent. */
  sent: number
}

/** Returns the compaction that the next request begins with; null for none. */
export function newestCompacted({ marks }: Fold, { without }: Preview): Compacted | null {
  return marks.findLast((mark): mark is Compacted => mark.kind === 'compacted' && mark.seq !== without) ?? null
}

/** Returns the calls whose results are not in the next request. */
export function clearedIn({ marks }: Fold, { cleared = new Set(), without }: Preview): ReadonlySet<ItemId> {
  const before = marks.flatMap((mark) => (mark.kind === 'cleared' && mark.seq !== without ? mark.itemIds : []))
  return before.length === 0 ? cleared : new Set([...before, ...cleared])
}

/** Returns the result of a call as the next request has it. */
export function resultIn({ call, itemId, result, line }: AnsweredCall, cleared: ReadonlySet<ItemId>): ModelEntry {
  const shown = line !== null && cleared.has(itemId) ? line : result
  return shown ?? resultEntry(call, cutHere, true)
}

export const cutHere = 'Not run: the conversation was cut here.'

export function userText(text: string): ModelEntry {
  return { kind: 'user', content: [{ type: 'text', text }] }
}

export function resultEntry({ callId }: ModelCall, text: string, isError: boolean): ModelEntry {
  return { kind: 'result', callId, text, isError }
}

/** View as it would be: with further results cleared, or with a compaction undone. */
export interface Preview {
  readonly cleared?: ReadonlySet<ItemId>
  /** Seq of a compaction that does not count. */
  readonly without?: number
}
