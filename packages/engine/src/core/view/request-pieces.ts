import { type ItemId, isCall } from '@parley/protocol'
import { type Fold, type FoldBlock, leftOutIn, newestCompacted } from './view-blocks.ts'
import { contentOf, entriesOf, itemAt, type SideFileReader } from './view-content.ts'

/** Part of a request that can be left out as a whole: a message, an answer with its calls and results, or a summary. */
export interface RequestPiece {
  /** Seq of the event that made it. */
  readonly seq: number
  readonly kind: 'message' | 'answer' | 'summary' | 'note'
  /** Number of entries that it has in the request. */
  readonly entries: number
  readonly itemIds: readonly ItemId[]
  /** Beginning of it, for people. */
  readonly words: string
}

/** Entries that always stay: the session context, and lines in place of parts that were left out. */
interface FixedPiece {
  readonly kind: 'fixed'
  readonly entries: number
}

/** Returns the parts of the next request in its order. The view must be read. */
export function requestPieces(fold: Fold, files: SideFileReader): readonly (RequestPiece | FixedPiece)[] {
  const leftOut = leftOutIn(fold, {})
  const mark = newestCompacted(fold, {})
  const isLeft = mark !== null && leftOut.has(mark.seq)
  const context = mark === null ? [] : fold.blocks.slice(0, mark.hidden).filter(({ kind }) => kind === 'sessionContext')
  const fixed: FixedPiece = { kind: 'fixed', entries: context.length === 0 ? 0 : 1 }
  const leading: (RequestPiece | FixedPiece)[] = mark === null ? [] : [fixed]
  if (mark !== null && isLeft) leading.push({ kind: 'fixed', entries: 1 })
  else if (mark !== null)
    leading.push({
      ...{ seq: mark.seq, kind: 'summary', itemIds: [], words: mark.summary },
      entries: mark.entries?.length ?? 0,
    })
  const shown = fold.blocks.slice(mark?.hidden ?? 0).map((block): RequestPiece | FixedPiece => {
    const entries = entriesOf(fold, block, { files, cleared: new Set(), leftOut }).length
    const isFixed = block.kind === 'sessionContext' || leftOut.has(block.seq)
    return isFixed ? { kind: 'fixed', entries } : { seq: block.seq, entries, ...descriptionOf(fold, block) }
  })
  return [...leading, ...shown]
}

/** Returns the part of the request that has its entry of a number; null for an entry that always stays. */
export function pieceAt(pieces: readonly (RequestPiece | FixedPiece)[], entry: number): RequestPiece | null {
  let end = 0
  for (const piece of pieces) {
    end += piece.entries
    if (entry < end) return isFree(piece) ? piece : null
  }
  return null
}

/** Tells if a part can be left out. */
export function isFree(piece: RequestPiece | FixedPiece): piece is RequestPiece {
  return piece.kind !== 'fixed'
}

function descriptionOf(fold: Fold, block: FoldBlock): Pick<RequestPiece, 'kind' | 'itemIds' | 'words'> {
  switch (block.kind) {
    case 'message': {
      const texts = contentOf(fold, block).map((part) => (part.type === 'text' ? part.text : `[${part.name}]`))
      return { kind: 'message', itemIds: [itemAt(fold, block.place).id], words: texts.join(' ') }
    }
    case 'userAct': {
      const item = itemAt(fold, block.place)
      return { kind: 'message', itemIds: [item.id], words: item.title }
    }
    case 'response': {
      const items = block.calls.flatMap(({ answer }) => (answer === null ? [] : [itemAt(fold, answer.place)]))
      const text = block.entry?.kind === 'response' ? block.entry.text : ''
      const titles = items.filter(isCall).map(({ title }) => title)
      return { kind: 'answer', itemIds: block.calls.map(({ itemId }) => itemId), words: [text, ...titles].join(' ') }
    }
    default:
      return { kind: 'note', itemIds: [], words: '' }
  }
}
