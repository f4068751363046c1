import type { IncomingHttpHeaders } from 'node:http'

export type Wire = 'responses' | 'chat'

export type RecordedRequest = {
  /** From 1, over all requests of the server. */
  readonly number: number
  readonly wire: Wire
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as received, for byte comparisons. */
  readonly text: string
  readonly body: unknown
  /** Resolves when the client has gone before the answer was complete. */
  readonly dropped: Promise<void>
}

export type ScriptedCall = {
  readonly name: string
  /** A value is sent as JSON; a string is sent as it is, so that it may be malformed. */
  readonly arguments: unknown
  /** Numbered per server when absent. */
  readonly id?: string
}

export type Usage = {
  readonly input: number
  readonly cached?: number
  readonly output: number
  readonly reasoning?: number
}

/** A complete answer: reasoning, then text, then calls, each if given. */
export type AnswerStep = {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** Into how many deltas the text is cut, or the deltas themselves. One when absent. */
  readonly chunks?: number | readonly string[]
  readonly usage?: Usage
  /** Ends the answer as if the token limit had been reached. */
  readonly incomplete?: boolean
}

export type StatusStep = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** A value is sent as JSON, a string as it is. */
  readonly body?: unknown
}

/** Bytes of an event stream, sent as they are. */
export type RawStep = { readonly raw: string | Uint8Array }

/** Nothing at all, or headers and half of the answer, and then silence until the client leaves. */
export type HangStep = AnswerStep & { readonly hang: 'headers' | 'mid' }

export type Delivery = {
  /** The first byte waits for it. */
  readonly gate?: Promise<unknown>
  /** Awaited before each frame of the stream: a gate for every delta. */
  readonly beforeFrame?: (index: number) => Promise<unknown>
  /** Pause between frames. */
  readonly delayMs?: number
  /** The connection is reset after this many bytes of the body. */
  readonly cutAfterBytes?: number
}

export type ReplyStep = (AnswerStep | StatusStep | RawStep | HangStep) & Delivery
export type Step = ReplyStep | ((request: RecordedRequest) => ReplyStep | Promise<ReplyStep>)

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
