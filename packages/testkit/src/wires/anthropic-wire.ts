import {
  type AnswerStep,
  argumentsText,
  defaultUsage,
  type ScriptedCall,
  textChunks,
  type Usage,
} from './scripted-step.ts'

type Event = { readonly type: string } & Readonly<Record<string, unknown>>

/** Returns the server-sent events of the Messages API for the answer, in order. */
export function anthropicFrames(step: AnswerStep, requestNumber: number): string[] {
  const usage = step.usage ?? defaultUsage
  const message = { id: `msg_${requestNumber}`, type: 'message', role: 'assistant', model: 'scripted', content: [] }
  const blocks = [
    ...(step.reasoning === undefined ? [] : [thinkingBlock(step.reasoning, `sealed-${requestNumber}`)]),
    ...(step.text === undefined && step.chunks === undefined ? [] : [textBlock(step)]),
    ...(step.calls ?? []).map((call, index) => callBlock(call, `toolu_${requestNumber}_${index + 1}`)),
  ]
  const events: Event[] = [
    { type: 'message_start', message: { ...message, stop_reason: null, usage: inputOf(usage, 1) } },
    { type: 'ping' },
    ...blocks.flatMap((events, index) => events.map((event) => ({ ...event, index }))),
    { type: 'message_delta', delta: { stop_reason: stopReason(step) }, usage: inputOf(usage, usage.output) },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

function stopReason(step: AnswerStep): string {
  if (step.incomplete) return 'max_tokens'
  return step.calls?.length ? 'tool_use' : 'end_turn'
}

/** Returns the usage. This API counts input that it read from its cache apart from other input. */
function inputOf({ input, cached = 0, reasoning = 0 }: Usage, output: number): object {
  return {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
  }
}

function thinkingBlock(thinking: string, signature: string): readonly Event[] {
  return block({ type: 'thinking', thinking: '', signature: '' }, [
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature },
  ])
}

function textBlock(step: AnswerStep): readonly Event[] {
  const deltas = textChunks(step).map((text) => ({ type: 'text_delta', text }))
  return block({ type: 'text', text: '' }, deltas)
}

function callBlock(call: ScriptedCall, id: string): readonly Event[] {
  return block({ type: 'tool_use', id: call.id ?? id, name: call.name, input: {} }, [
    { type: 'input_json_delta', partial_json: '' },
    { type: 'input_json_delta', partial_json: argumentsText(call) },
  ])
}

function block(start: object, deltas: readonly object[]): readonly Event[] {
  return [
    { type: 'content_block_start', content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', delta })),
    { type: 'content_block_stop' },
  ]
}
