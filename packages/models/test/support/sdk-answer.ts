import type { ModelEvent } from '../../src/port/model-client.ts'

/** Answer that a reader makes of a stream, in the words of both sides. */
interface Answer {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  readonly usage: { readonly input: number; readonly cached: number; readonly output: number }
  readonly stop: string
}

/** Reads the events of a wire of ours. Throws if they do not end with an answer. */
export function readAsWire(events: readonly ModelEvent[]): Answer {
  const last = events.at(-1)
  if (last?.type !== 'completed') throw new Error(`no answer: ${JSON.stringify(last)}`)
  const { inputTokens, cachedInputTokens, outputTokens } = last.usage
  return {
    text: events.flatMap((event) => (event.type === 'textDelta' ? [event.text] : [])).join(''),
    reasoning: events.flatMap((event) => (event.type === 'reasoningDelta' ? [event.text] : [])).join(''),
    calls: events.flatMap((event) =>
      event.type === 'call' ? [{ name: event.name, input: JSON.parse(event.arguments) as unknown }] : [],
    ),
    usage: { input: inputTokens, cached: cachedInputTokens, output: outputTokens },
    stop: last.stop,
  }
}

/** Part of a stream of the AI SDK, as far as it is compared. */
interface SdkPart {
  readonly type: string
  readonly delta?: string
  readonly toolName?: string
  readonly providerExecuted?: boolean
  readonly input?: string
  readonly finishReason?: { readonly unified: string }
  readonly usage?: {
    readonly inputTokens: { readonly total?: number | undefined; readonly cacheRead?: number | undefined }
    readonly outputTokens: { readonly total?: number | undefined }
  }
}

interface SdkModel {
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

const prompt = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] }
const stops: Readonly<Record<string, string>> = { length: 'length', 'content-filter': 'filter' }

/** Reads the same bytes by the AI SDK. */
export async function readAsSdk(model: (fetch: typeof globalThis.fetch) => SdkModel, bytes: Buffer): Promise<Answer> {
  const headers = { 'content-type': 'text/event-stream' }
  const answer = () => Promise.resolve(new Response(new Uint8Array(bytes), { headers }))
  const { stream } = await model(answer).doStream(prompt as never)
  const parts: SdkPart[] = []
  for await (const part of stream) parts.push(part as SdkPart)
  const joined = (type: string) => parts.flatMap((part) => (part.type === type ? [part.delta ?? ''] : [])).join('')
  const finish = parts.find(({ type }) => type === 'finish')
  const { inputTokens, outputTokens } = finish?.usage ?? { inputTokens: {}, outputTokens: {} }
  return {
    text: joined('text-delta'),
    reasoning: joined('reasoning-delta'),
    calls: parts.flatMap(({ type, toolName = '', input = '', providerExecuted }) =>
      type === 'tool-call' && providerExecuted !== true
        ? [{ name: toolName, input: JSON.parse(input || '{}') as unknown }]
        : [],
    ),
    usage: { input: inputTokens.total ?? 0, cached: inputTokens.cacheRead ?? 0, output: outputTokens.total ?? 0 },
    stop: stops[finish?.finishReason?.unified ?? ''] ?? 'stop',
  }
}
