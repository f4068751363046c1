import { resolve } from 'node:path'
import type { CallToolResult, ProgressToken, RequestId } from '@modelcontextprotocol/server'
import {
  type ApprovalPolicy,
  approvalPolicies,
  type ConversationId,
  type ParamsOf,
  type SandboxMode,
  sandboxModes,
} from '@parley/protocol'
import { withoutUndefined } from '@parley/text'
import * as z from 'zod'
import type { AgentName } from '../../codex-events/elicitation.ts'
import type { McpSession } from '../turns/session.ts'

/** Running `tools/call` request. */
export interface ToolCall {
  readonly session: McpSession
  readonly requestId: RequestId
  /** Name of the agent in messages. */
  readonly agent: AgentName
  /** Aborted by `notifications/cancelled`; an aborted call gets no answer. */
  readonly signal: AbortSignal
  /** Present when the client wants progress notifications. */
  readonly progressToken?: ProgressToken | undefined
  /** Runs a function after the answer has been sent. */
  afterAnswer(run: () => void): void
}

export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly agent: AgentName
  readonly inputSchema: Record<string, unknown>
  readonly outputSchema: Record<string, unknown>
  run(args: unknown, call: ToolCall): Promise<CallToolResult>
}

interface ToolDefinition<Input extends z.ZodType> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: z.ZodType
  readonly run: (args: z.infer<Input>, call: ToolCall) => Promise<CallToolResult>
  /** Returns this tool's result for invalid arguments. */
  readonly reject: (problem: string) => CallToolResult
}

/**
 * Defines a tool with a schema that checks its arguments. Invalid ones give a result that the model can read; unknown
 * keys are ignored.
 */
export function defineMcpTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): McpTool {
  const { name, title, description, input, output, run, reject } = definition
  // Created by the first `tools/list`, so that clients which only call do not wait for it.
  let inputSchema: Record<string, unknown> | null = null
  let outputSchema: Record<string, unknown> | null = null
  return {
    name,
    title,
    description,
    agent: name.startsWith('parley') ? 'parley' : 'Codex',
    get inputSchema() {
      inputSchema ??= jsonSchemaOf(input)
      return inputSchema
    },
    get outputSchema() {
      outputSchema ??= jsonSchemaOf(output)
      return outputSchema
    },
    run(args, call) {
      const parsed = input.safeParse(args ?? {})
      return parsed.success ? run(parsed.data, call) : Promise.resolve(reject(problemOf(name, parsed.error)))
    },
  }
}

function problemOf(name: string, { issues }: z.ZodError): string {
  const issue = issues[0]
  const at = issue?.path.join('.') ?? ''
  return `${name}: ${at === '' ? '' : `${at}: `}${issue?.message ?? 'the arguments are not valid'}.`
}

/** Returns the JSON Schema of the input, which leaves unknown keys open. */
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return json
}

/** Returns structured content, also as JSON text for clients that read only text. */
export function structured(value: Readonly<Record<string, unknown>>, isError = false): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: { ...value }, isError }
}

/** Returns an error as a result, since clients hide protocol errors from the model. */
export function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** Returns the last message of a turn, with both names of the conversation's id. */
export function answered(conversationId: ConversationId, content: string, isError = false): CallToolResult {
  return {
    content: [{ type: 'text', text: content }],
    structuredContent: { conversationId, threadId: conversationId, content },
    ...(isError ? { isError } : {}),
  }
}

/** Returns the result of a turn that failed, in the words that clients of Codex know. */
export function brokenOff(conversationId: ConversationId, message: string, call: Pick<ToolCall, 'agent'>) {
  return answered(conversationId, withCodexKind('Codex runtime error', message, call), true)
}

/** Returns a failure after Codex's words for its kind; for other clients the failure alone. */
export function withCodexKind(kind: string, message: string, { agent }: Pick<ToolCall, 'agent'>): string {
  return agent === 'Codex' ? `${kind}: ${message}` : message
}

export const approvalPolicyInput = z.enum(approvalPolicies).optional().describe('When a command or patch needs a yes.')

export const sandboxInput = z.enum(sandboxModes).optional().describe('What commands and patches may write to.')

export const configInput = z
  .record(z.string(), z.unknown())
  .optional()
  // Written as clients expect a free-form object to be described.
  .meta({ description: 'Config settings that override those of config.toml.', additionalProperties: true })

export const modelInput = z.string().min(1).optional().describe('Model to use in place of the configured one.')
export const profileInput = z.string().optional().describe('A named set of config values from config.toml.')

interface StartSettings {
  readonly cwd?: string | undefined
  readonly model?: string | undefined
  readonly profile?: string | undefined
  readonly approvalPolicy?: ApprovalPolicy | undefined
  readonly sandbox?: SandboxMode | undefined
  readonly config?: Record<string, unknown> | undefined
  readonly baseInstructions?: string | undefined
}

/** Returns the engine's parameters for a new conversation. A relative folder is resolved against the server's own. */
export function startParams({ cwd = '.', ...settings }: StartSettings): ParamsOf<'conversation/create'> {
  return { cwd: resolve(cwd), ...withoutUndefined(settings) }
}
