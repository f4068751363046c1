import type { CallToolResult, ProgressToken, RequestId } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { McpSession } from '../session.ts'

/** One `tools/call` while it is worked on. */
export interface ToolCall {
  readonly session: McpSession
  readonly requestId: RequestId
  /** Aborted by `notifications/cancelled`: then nothing is answered. */
  readonly signal: AbortSignal
  /** The client wants to hear of progress. */
  readonly progressToken?: ProgressToken | undefined
  /** Runs once the answer is on its way. */
  afterAnswer(run: () => void): void
}

export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
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
  /** What is wrong with the arguments, as this tool's result. */
  readonly refuse: (problem: string) => CallToolResult
}

/** Arguments are checked here, so that what is wrong is a result the model can read; keys that are not known are ignored. */
export function defineMcpTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): McpTool {
  const { name, title, description, input, output, run, refuse } = definition
  // Made for the first list: a client that only calls does not wait for them.
  let inputSchema: Record<string, unknown> | null = null
  let outputSchema: Record<string, unknown> | null = null
  return {
    name,
    title,
    description,
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
      return parsed.success ? run(parsed.data, call) : Promise.resolve(refuse(problemOf(name, parsed.error)))
    },
  }
}

function problemOf(name: string, { issues }: z.ZodError): string {
  const issue = issues[0]
  const at = issue?.path.join('.') ?? ''
  return `${name}: ${at === '' ? '' : `${at}: `}${issue?.message ?? 'the arguments are not valid'}.`
}

/** As an input, so that keys that are not known are left open. */
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return json
}

/** A result that is data: also as JSON text, for clients that read only that. */
export function structured(value: Readonly<Record<string, unknown>>, isError = false): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: { ...value }, isError }
}

/** What went wrong, for the one who called: never an error of the protocol, which clients keep from the model. */
export function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** The last words of a turn. Under both names that clients know the conversation by. */
export function answered(conversationId: string, content: string, isError = false): CallToolResult {
  return {
    content: [{ type: 'text', text: content }],
    structuredContent: { conversationId, threadId: conversationId, content },
    ...(isError ? { isError } : {}),
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
