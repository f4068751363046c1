/** Messages that Codex clients read, in snake case and tagged by `type`; docs/mcp-server.md lists them. */
export type EventMsg =
  | { readonly type: 'task_started' | 'context_compacted' }
  | { readonly type: 'task_complete'; readonly last_agent_message: string | null }
  | { readonly type: 'turn_aborted'; readonly reason: 'interrupted' }
  | { readonly type: 'user_message'; readonly message: string; readonly kind: 'plain' }
  | { readonly type: 'agent_message'; readonly message: string }
  | { readonly type: 'agent_message_delta'; readonly delta: string }
  | { readonly type: 'agent_reasoning' | 'agent_reasoning_raw_content'; readonly text: string }
  | { readonly type: 'agent_reasoning_delta' | 'agent_reasoning_raw_content_delta'; readonly delta: string }
  | ExecBegin
  | {
      readonly type: 'exec_command_output_delta'
      readonly call_id: string
      readonly stream: 'stdout'
      readonly chunk: string
    }
  | ExecEnd
  | ({ readonly type: 'exec_approval_request' } & AskedCommand)
  | ({ readonly type: 'apply_patch_approval_request' } & AskedPatch)
  | {
      readonly type: 'elicitation_request'
      readonly id: string
      readonly server_name: string
      readonly message: string
    }
  | PatchBegin
  | PatchEnd
  | ({ readonly type: 'item_started' | 'item_completed'; readonly item: TurnItem } & TurnIds)
  | ({ readonly type: 'agent_message_content_delta' } & ItemDelta)
  | ({ readonly type: 'reasoning_content_delta'; readonly summary_index: number } & ItemDelta)
  | ({ readonly type: 'reasoning_raw_content_delta'; readonly content_index: number } & ItemDelta)
  | { readonly type: 'turn_diff'; readonly unified_diff: string }
  | { readonly type: 'plan_update'; readonly explanation: string | null; readonly plan: readonly PlanStep[] }
  | { readonly type: 'token_count'; readonly info: TokenInfo }
  | McpBegin
  | McpEnd
  | { readonly type: 'error' | 'stream_error' | 'background_event'; readonly message: string }

interface TurnIds {
  readonly thread_id: string
  readonly turn_id: string
}

interface ItemDelta extends TurnIds {
  readonly item_id: string
  readonly delta: string
}

/** Item of `item_started` and `item_completed`. Calls have messages of their own. */
export type TurnItem =
  | {
      readonly type: 'UserMessage'
      readonly id: string
      readonly content: readonly { readonly type: 'text'; readonly text: string }[]
    }
  | {
      readonly type: 'AgentMessage'
      readonly id: string
      readonly content: readonly { readonly type: 'Text'; readonly text: string }[]
    }
  | {
      readonly type: 'Reasoning'
      readonly id: string
      readonly summary_text: readonly string[]
      readonly raw_content: readonly string[]
    }
  | { readonly type: 'ContextCompaction'; readonly id: string }

export interface ParsedCommand {
  readonly type: 'unknown'
  readonly cmd: string
}

export interface ExecBegin {
  readonly type: 'exec_command_begin'
  readonly call_id: string
  readonly command: readonly string[]
  readonly cwd: string
  readonly parsed_cmd: readonly ParsedCommand[]
}

/**
 * End of a command. The engine reads one stream, so `stdout` and `aggregated_output` carry it and `stderr` is empty.
 */
interface ExecEnd {
  readonly type: 'exec_command_end'
  readonly call_id: string
  readonly stdout: string
  readonly stderr: ''
  readonly aggregated_output: string
  /** Exit code; -1 after a signal, or when it is unknown. */
  readonly exit_code: number
  readonly duration: Duration
  readonly formatted_output: string
}

export interface AskedCommand {
  readonly call_id: string
  readonly command: readonly string[]
  readonly cwd: string
  readonly reason?: string
}

export interface AskedPatch {
  readonly call_id: string
  readonly changes: FileChanges
  readonly reason?: string
  /** Folder that a yes for the session may open for writing. */
  readonly grant_root?: string
}

interface PatchBegin {
  readonly type: 'patch_apply_begin'
  readonly call_id: string
  readonly auto_approved: boolean
  readonly changes: FileChanges
}

interface PatchEnd {
  readonly type: 'patch_apply_end'
  readonly call_id: string
  readonly stdout: string
  readonly stderr: string
  readonly success: boolean
}

interface McpInvocation {
  readonly server: string
  readonly tool: string
  readonly arguments: unknown
}

export interface McpBegin {
  readonly type: 'mcp_tool_call_begin'
  readonly call_id: string
  readonly invocation: McpInvocation
}

interface McpEnd {
  readonly type: 'mcp_tool_call_end'
  readonly call_id: string
  readonly invocation: McpInvocation
  readonly duration: Duration
  readonly result:
    | {
        readonly Ok: {
          readonly content: readonly { readonly type: 'text'; readonly text: string }[]
          readonly isError: false
        }
      }
    | { readonly Err: string }
}

export interface Duration {
  readonly secs: number
  readonly nanos: number
}

export interface PlanStep {
  readonly step: string
  readonly status: 'pending' | 'in_progress' | 'completed'
}

export interface TokenUsage {
  readonly input_tokens: number
  readonly cached_input_tokens: number
  readonly output_tokens: number
  readonly reasoning_output_tokens: number
  readonly total_tokens: number
}

interface TokenInfo {
  readonly total_token_usage: TokenUsage
  readonly last_token_usage: TokenUsage
  readonly model_context_window: number | null
}

export type FileChange =
  | { readonly type: 'add' | 'delete'; readonly content: string }
  | { readonly type: 'update'; readonly unified_diff: string; readonly move_path: string | null }

/** Changes by absolute path. */
export type FileChanges = Readonly<Record<string, FileChange>>

type EventMsgType = EventMsg['type']

/** Parts of text that a later message carries whole. */
const deltas: ReadonlySet<EventMsgType> = new Set([
  'agent_message_delta',
  'agent_reasoning_delta',
  'agent_reasoning_raw_content_delta',
  'exec_command_output_delta',
  'agent_message_content_delta',
  'reasoning_content_delta',
  'reasoning_raw_content_delta',
])

/** Messages that the stream of a whole conversation leaves out. */
const notStreamed: ReadonlySet<EventMsgType> = new Set(['token_count', 'user_message', 'background_event'])

export function isDelta({ type }: EventMsg): boolean {
  return deltas.has(type)
}

/** Returns true for messages that belong to the stream of a whole conversation. */
export function isStreamed({ type }: EventMsg): boolean {
  return !notStreamed.has(type)
}

const keptLength = 500

/** Returns a message with long texts cut and marked, for a list that has to fit one line. */
export function shortened(message: EventMsg): EventMsg {
  switch (message.type) {
    case 'exec_command_end': {
      const text = cut(message.aggregated_output)
      return { ...message, stdout: text, aggregated_output: text, formatted_output: cut(message.formatted_output) }
    }
    case 'patch_apply_begin':
    case 'apply_patch_approval_request':
      return { ...message, changes: cutChanges(message.changes) }
    case 'turn_diff':
      return { ...message, unified_diff: cut(message.unified_diff) }
    case 'mcp_tool_call_end': {
      const { result } = message
      if ('Err' in result) return { ...message, result: { Err: cut(result.Err) } }
      const content = result.Ok.content.map(({ text }) => ({ type: 'text' as const, text: cut(text) }))
      return { ...message, result: { Ok: { content, isError: false } } }
    }
    default:
      return message
  }
}

function cutChanges(changes: FileChanges): FileChanges {
  return Object.fromEntries(Object.entries(changes).map(([path, change]) => [path, cutChange(change)]))
}

function cutChange(change: FileChange): FileChange {
  return change.type === 'update'
    ? { ...change, unified_diff: cut(change.unified_diff) }
    : { ...change, content: cut(change.content) }
}

function cut(text: string): string {
  const leftOut = text.length - keptLength
  if (leftOut <= 0) return text
  // A surrogate pair is not split.
  const end = /[\ud800-\udbff]/.test(text.charAt(keptLength - 1)) ? keptLength - 1 : keptLength
  return `${text.slice(0, end)}[… ${text.length - end} characters left out …]`
}
