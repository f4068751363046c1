import type { Item, ItemId, Plan } from '@parley/protocol'

/** Lines that the Codex SDK reads, with its names and shapes. */
export type ThreadEvent =
  | { readonly type: 'thread.started'; readonly thread_id: string }
  | { readonly type: 'turn.started' }
  | { readonly type: 'item.started' | 'item.updated' | 'item.completed'; readonly item: ThreadItem }
  | { readonly type: 'turn.completed'; readonly usage: ThreadUsage }
  | { readonly type: 'turn.failed'; readonly error: { readonly message: string } }
  | { readonly type: 'error'; readonly message: string }

type ThreadItem = { readonly id: string } & ItemBody

export type ItemBody =
  | { readonly type: 'agent_message' | 'reasoning'; readonly text: string }
  | { readonly type: 'error'; readonly message: string }
  | {
      readonly type: 'command_execution'
      readonly command: string
      readonly aggregated_output: string
      readonly exit_code: number | null
      readonly status: CallStatus | 'declined'
    }
  | { readonly type: 'file_change'; readonly changes: readonly ChangedFile[]; readonly status: CallStatus }
  | {
      readonly type: 'mcp_tool_call'
      readonly server: string
      readonly tool: string
      readonly arguments: unknown
      readonly result: ToolResult | null
      readonly error: { readonly message: string } | null
      readonly status: CallStatus
    }
  | { readonly type: 'todo_list'; readonly items: readonly { readonly text: string; readonly completed: boolean }[] }

export type CallStatus = 'in_progress' | 'completed' | 'failed'

interface ChangedFile {
  readonly path: string
  readonly kind: 'add' | 'delete' | 'update'
}

interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly structured_content: null
}

export interface ThreadUsage {
  readonly input_tokens: number
  readonly cached_input_tokens: number
  readonly cache_write_input_tokens: number
  readonly output_tokens: number
  readonly reasoning_output_tokens: number
}

interface ItemLines {
  know(item: Item): void
  /** Writes an item that has no started line. */
  whole(body: ItemBody): void
  begin(itemId: ItemId, bodyOf: (item: Item) => ItemBody | null): void
  finish(itemId: ItemId, body: ItemBody | null): void
  plan(plan: Plan): void
  /** Completes the plan at the end of the turn. */
  closePlan(): void
}

/** Creates the writer. Numbers items in the order of their first line. */
export function createItemLines(write: (event: ThreadEvent) => void): ItemLines {
  const known = new Map<ItemId, Item>()
  const begun = new Map<ItemId, string>()
  let count = 0
  let plan: { readonly id: string; readonly body: ItemBody } | null = null

  function nextId(): string {
    count += 1
    return `item_${count - 1}`
  }

  return {
    know: (item) => void known.set(item.id, item),
    whole: (body) => write({ type: 'item.completed', item: { id: nextId(), ...body } }),
    begin(itemId, bodyOf) {
      const item = known.get(itemId)
      const body = item === undefined ? null : bodyOf(item)
      // A second attempt belongs to the same item.
      if (body === null || begun.has(itemId)) return
      const id = nextId()
      begun.set(itemId, id)
      write({ type: 'item.started', item: { id, ...body } })
    },
    finish(itemId, body) {
      const id = begun.get(itemId)
      known.delete(itemId)
      begun.delete(itemId)
      if (body !== null) write({ type: 'item.completed', item: { id: id ?? nextId(), ...body } })
    },
    plan({ steps }) {
      const items = steps.map(({ step, status }) => ({ text: step, completed: status === 'completed' }))
      const body: ItemBody = { type: 'todo_list', items }
      const type = plan === null ? 'item.started' : 'item.updated'
      plan = { id: plan?.id ?? nextId(), body }
      write({ type, item: { id: plan.id, ...body } })
    },
    closePlan() {
      if (plan !== null) write({ type: 'item.completed', item: { id: plan.id, ...plan.body } })
    },
  }
}
