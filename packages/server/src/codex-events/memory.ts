import type { ConversationState, FileChangeEntry, Item, TokenCounts } from '@parley/protocol'

/** What translating needs of the events before: a fold of its own, so that it can begin anywhere. */
export interface Memory {
  /** Open items by id. */
  readonly open: Readonly<Record<string, OpenEntry>>
  /** Last words of the model in the running turn. */
  readonly lastMessage: string | null
  /** Files that the running turn has changed. */
  readonly changed: readonly FileChangeEntry[]
  /** The last error that was told, so that the end of its turn does not repeat it. */
  readonly lastError: string | null
  readonly usage: { readonly total: TokenCounts; readonly contextWindow: number | null }
}

export interface OpenEntry {
  readonly item: Item
  /** It was started: only then has it an end to tell. */
  readonly executionStarted: boolean
}

const noTokens: TokenCounts = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }

/** Before the first event of a conversation. */
export const emptyMemory: Memory = {
  open: {},
  lastMessage: null,
  changed: [],
  lastError: null,
  usage: { total: noTokens, contextWindow: null },
}

/** For events that follow a state. */
export function memoryOf({ core, window }: ConversationState): Memory {
  const ofTurn = core.turn === null ? [] : window.filter(({ turnId }) => turnId === core.turn?.id)
  const said = ofTurn.map(({ item }) => item).filter(({ type }) => type === 'agentMessage')
  return {
    open: Object.fromEntries(
      Object.entries(core.open).map(([id, { item, executionStarted }]) => [id, { item, executionStarted }]),
    ),
    lastMessage: said.at(-1)?.text ?? null,
    changed: ofTurn.flatMap(({ item }) =>
      item.type === 'fileChange' && item.status === 'completed' ? item.changes : [],
    ),
    lastError: null,
    usage: { total: core.usage.total, contextWindow: core.usage.contextWindow },
  }
}

export function opened(memory: Memory, entry: OpenEntry): Memory {
  return { ...memory, open: { ...memory.open, [entry.item.id]: entry } }
}

export function closed(memory: Memory, itemId: string): Memory {
  if (!Object.hasOwn(memory.open, itemId)) return memory
  const { [itemId]: _closed, ...open } = memory.open
  return { ...memory, open }
}

export function entryOf(memory: Memory, itemId: string): OpenEntry | null {
  return Object.hasOwn(memory.open, itemId) ? (memory.open[itemId] ?? null) : null
}
