/** The lines that users of the Codex SDK read. Names and shapes are theirs. */
export type ThreadEvent =
  | { readonly type: 'thread.started'; readonly thread_id: string }
  | { readonly type: 'turn.started' }
  | { readonly type: 'item.started' | 'item.updated' | 'item.completed'; readonly item: ThreadItem }
  | { readonly type: 'turn.completed'; readonly usage: ThreadUsage }
  | { readonly type: 'turn.failed'; readonly error: { readonly message: string } }
  | { readonly type: 'error'; readonly message: string }

export type ThreadItem = { readonly id: string } & ItemBody

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

export interface ChangedFile {
  readonly path: string
  readonly kind: 'add' | 'delete' | 'update'
}

interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly structured_content: null
}

/** Of the turn alone. */
export interface ThreadUsage {
  readonly input_tokens: number
  readonly cached_input_tokens: number
  readonly cache_write_input_tokens: number
  readonly output_tokens: number
  readonly reasoning_output_tokens: number
}
