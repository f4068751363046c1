import {
  type AnswerMessages,
  answerOf,
  type ConversationState,
  type FileChangeEntry,
  type Item,
  type ItemId,
  noTokens,
  type TokenCounts,
} from '@parley/protocol'

/**
 * State that translation needs of earlier events. Separate from the conversation's state, so that it can start
 * anywhere.
 */
export interface Memory {
  /** Folder of the conversation. */
  readonly cwd: string
  readonly open: Readonly<Record<ItemId, OpenEntry>>
  /** Answer of the model so far in the running turn. */
  readonly answer: AnswerMessages
  /** Files that the running turn has changed. */
  readonly changed: readonly FileChangeEntry[]
  /** Last error that was sent, so that the end of its turn does not repeat it. */
  readonly lastError: string | null
  readonly usage: { readonly total: TokenCounts; readonly contextWindow: number | null }
}

export interface OpenEntry {
  readonly item: Item
  /** True when the item's start was reported, and its end must be. */
  readonly executionStarted: boolean
}

/** State before the first event of a conversation. */
export const emptyMemory: Memory = {
  cwd: '/',
  open: {},
  answer: [],
  changed: [],
  lastError: null,
  usage: { total: noTokens, contextWindow: null },
}

/** Returns the state for events that follow a conversation's state. */
export function memoryOf({ core, window }: ConversationState): Memory {
  const ofTurn = core.turn === null ? [] : window.filter(({ turnId }) => turnId === core.turn?.id)
  return {
    cwd: core.meta.cwd,
    open: Object.fromEntries(
      Object.entries(core.open).map(([id, { item, executionStarted }]) => [id, { item, executionStarted }]),
    ),
    answer: answerOf(ofTurn.map(({ item }) => item)),
    changed: ofTurn.flatMap(({ item }) =>
      item.type === 'fileChange' && item.status === 'completed' ? item.changes : [],
    ),
    lastError: null,
    usage: { total: core.usage.total, contextWindow: core.usage.contextWindow },
  }
}

export function withOpenItem(memory: Memory, entry: OpenEntry): Memory {
  return { ...memory, open: { ...memory.open, [entry.item.id]: entry } }
}

export function withoutItem(memory: Memory, itemId: ItemId): Memory {
  if (!Object.hasOwn(memory.open, itemId)) return memory
  const { [itemId]: _closed, ...open } = memory.open
  return { ...memory, open }
}

export function entryOf(memory: Memory, itemId: ItemId): OpenEntry | null {
  return Object.hasOwn(memory.open, itemId) ? (memory.open[itemId] ?? null) : null
}
