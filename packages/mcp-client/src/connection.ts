import { awakeTimeout } from '@parley/host'
import type { AnswerProblem, Answers, Form } from '@parley/protocol'

/** Tool as its server describes it. Every text was written by the server. */
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

/** Fault of a tool that is left out of a list, or of the list itself where `tool` is null. */
export interface ListProblem {
  readonly tool: string | null
  readonly why: string
}

export interface ToolList {
  /** Tools with different names. */
  readonly tools: readonly ServerTool[]
  readonly problems: readonly ListProblem[]
}

export interface ResourceList {
  readonly resources: readonly ServerResource[]
  /** Reason why the list may be cut; null for a whole one. */
  readonly problem: string | null
}

/** Part of the result of a call or of a resource. */
export type ResultPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly mediaType: string; readonly base64: string }
  | { readonly kind: 'link'; readonly uri: string; readonly name: string }

export interface CallResult {
  readonly isError: boolean
  readonly parts: readonly ResultPart[]
  /** Structured content, or null. */
  readonly structured: unknown
}

/** Question of a server to the user while one of its calls runs. */
export interface Elicitation {
  readonly message: string
  readonly form: Form
  check(answers: Answers): AnswerProblem | null
  /** Aborts when the server cancels the question. */
  readonly signal: AbortSignal
}

type ElicitationReply =
  | { readonly kind: 'answered'; readonly answers: Answers }
  | { readonly kind: 'declined' }
  | { readonly kind: 'cancelled' }

export interface CallWatch {
  readonly signal: AbortSignal
  onProgress(text: string): void
  elicit(question: Elicitation): Promise<ElicitationReply>
}

/** Connection to a server that has answered `initialize`. Its methods reject with an `Error` written for people. */
export interface McpConnection {
  tools(): Promise<ToolList>
  readonly hasResources: boolean
  call(tool: string, args: Readonly<Record<string, unknown>>, watch: CallWatch): Promise<CallResult>
  resources(signal: AbortSignal): Promise<ResourceList>
  readResource(uri: string, signal: AbortSignal): Promise<readonly ResultPart[]>
  /** Returns null while the connection works, else resolves with the reason of its loss once that is known. */
  lost(): Promise<string> | null
  close(): Promise<void>
}

/** Joins the parts as one text. Bytes are stored with `keep`, and the text names the file. */
export async function textOfParts(
  parts: readonly ResultPart[],
  keep: (bytes: Buffer) => Promise<string>,
): Promise<string> {
  const texts = await Promise.all(parts.map((part) => textOf(part, keep)))
  return texts.join('\n')
}

/** Joins the result as one text. Structured content is included only without a text part, which repeats it. */
export async function textOfResult(
  { parts, structured }: CallResult,
  keep: (bytes: Buffer) => Promise<string>,
): Promise<string> {
  const hasText = structured === null || parts.some(({ kind }) => kind === 'text')
  const text = await textOfParts(parts, keep)
  if (hasText) return text
  return [text, JSON.stringify(structured)].filter((piece) => piece !== '').join('\n')
}

async function textOf(part: ResultPart, keep: (bytes: Buffer) => Promise<string>): Promise<string> {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'link':
      return `[resource ${part.name}: ${part.uri}]`
    case 'bytes': {
      const bytes = Buffer.from(part.base64, 'base64')
      return `[${part.mediaType}, ${bytes.length} bytes, kept as ${await keep(bytes)}]`
    }
  }
}

/** Time limit that pauses while the user is asked. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
  readonly reached: boolean
  /** Pauses the deadline until `wait` settles, and settles alike. */
  pausedFor<Result>(wait: Promise<Result>): Promise<Result>
}

export function startDeadline(limitMs: number): Deadline {
  const stop = new AbortController()
  let pauses = 0
  let isOver = false
  const run = (leftMs: number) => awakeTimeout(leftMs, () => stop.abort())
  let timer = run(limitMs)
  let leftMs = limitMs

  function hold(): void {
    timer.stop()
    leftMs = timer.leftMs()
  }

  return {
    signal: stop.signal,
    get reached() {
      return stop.signal.aborted
    },
    async pausedFor(wait) {
      if (pauses === 0) hold()
      pauses += 1
      try {
        return await wait
      } finally {
        pauses -= 1
        if (pauses === 0 && !stop.signal.aborted && !isOver) timer = run(leftMs)
      }
    },
    [Symbol.dispose]() {
      isOver = true
      timer.stop()
    },
  }
}
