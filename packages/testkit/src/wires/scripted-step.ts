import type { IncomingHttpHeaders } from 'node:http'

export type Wire = 'responses' | 'chat' | 'anthropic' | 'gemini'

export type RecordedRequest = {
  /** Counted from 1 over all requests of the server. */
  readonly number: number
  readonly wire: Wire
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Body as received, for byte comparisons. */
  readonly text: string
  readonly body: unknown
  /** Resolves when the client closes the connection before the answer is complete. */
  readonly dropped: Promise<void>
}

export type ScriptedCall = {
  readonly name: string
  /** Value sent as JSON; a string is sent unchanged and may be malformed. */
  readonly arguments: unknown
  /** Default: numbered per server. */
  readonly id?: string
}

export type Usage = {
  readonly input: number
  readonly cached?: number
  readonly output: number
  readonly reasoning?: number
}

/** Complete answer: reasoning, then text, then calls, each if present. */
export type AnswerStep = {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** Number of deltas the text is cut into, or the deltas. Default 1. */
  readonly chunks?: number | readonly string[]
  readonly usage?: Usage
  /** Ends the answer as if the token limit was reached. */
  readonly incomplete?: boolean
}

export type StatusStep = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Value sent as JSON; a string is sent unchanged. */
  readonly body?: unknown
}

/** Bytes of an event stream, sent unchanged. */
type RawStep = { readonly raw: string | Uint8Array }

/** Sends nothing (`headers`) or half of the answer (`mid`), then waits until the client disconnects. */
type HangStep = AnswerStep & { readonly hang: 'headers' | 'mid' }

export type Delivery = {
  /** Awaited before the first byte. */
  readonly gate?: Promise<unknown>
  /** Awaited before each frame of the stream. */
  readonly beforeFrame?: (index: number) => Promise<unknown>
  /** Pause between frames. */
  readonly delayMs?: number
  /** Number of body bytes after which the connection is reset. */
  readonly cutAfterBytes?: number
}

export type ReplyStep = (AnswerStep | StatusStep | RawStep | HangStep) & Delivery
export type ScriptedStep = ReplyStep | ((request: RecordedRequest) => ReplyStep | Promise<ReplyStep>)

/** Cuts the text of a step into the deltas that it asks for. */
export function textChunks(step: AnswerStep): readonly string[] {
  const text = step.text ?? ''
  const { chunks = 1 } = step
  if (typeof chunks !== 'number') return chunks
  const characters = [...text]
  const size = Math.max(1, Math.ceil(characters.length / chunks))
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  )
}

export function argumentsText(call: ScriptedCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
}

export const defaultUsage: Usage = { input: 10, output: 5 }
