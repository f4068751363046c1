import type { Answers, Form } from '@parley/protocol'
import type { AnswerProblem } from './elicitation-form.ts'

/** A tool as its server describes it. Everything here was written by the server. */
export interface ServerTool {
  readonly name: string
  readonly title: string | null
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface ServerResource {
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mimeType: string | null
}

/** One part of what a call or a resource came to. */
export type ResultPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly mediaType: string; readonly base64: string }
  | { readonly kind: 'link'; readonly uri: string; readonly name: string }

export interface CallResult {
  readonly isError: boolean
  readonly parts: readonly ResultPart[]
  /** Null when there is none. */
  readonly structured: unknown
}

/** What a server asks the user while one of its calls runs. */
export interface Elicitation {
  readonly message: string
  readonly form: Form
  check(answers: Answers): AnswerProblem | null
  /** The server has taken its question back. */
  readonly signal: AbortSignal
}

export type ElicitationReply =
  | { readonly kind: 'answered'; readonly answers: Answers }
  | { readonly kind: 'declined' }
  | { readonly kind: 'cancelled' }

export interface CallWatch {
  readonly signal: AbortSignal
  onProgress(text: string): void
  elicit(question: Elicitation): Promise<ElicitationReply>
}

/** A server that has answered `initialize`. Its methods reject with an `Error` whose message says what went wrong. */
export interface McpConnection {
  tools(): Promise<readonly ServerTool[]>
  readonly hasResources: boolean
  call(tool: string, args: Readonly<Record<string, unknown>>, watch: CallWatch): Promise<CallResult>
  resources(signal: AbortSignal): Promise<readonly ServerResource[]>
  readResource(uri: string, signal: AbortSignal): Promise<readonly ResultPart[]>
  /** Null while it works; else why it is gone, once that is known. */
  lost(): Promise<string> | null
  close(): Promise<void>
}
