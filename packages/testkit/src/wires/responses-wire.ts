import {
  type AnswerStep,
  argumentsText,
  defaultUsage,
  type ScriptedCall,
  textChunks,
  type Usage,
} from './scripted-step.ts'

type Frame = { readonly type: string } & Readonly<Record<string, unknown>>
type StreamedItem = { readonly item: object; readonly frames: readonly Frame[] }

/** Returns the server-sent events of the Responses API for the answer, in order. */
export function responsesFrames(step: AnswerStep, requestNumber: number): string[] {
  const outputs = [
    ...(step.reasoning === undefined ? [] : [reasoningOutput(step.reasoning, `rs_${requestNumber}`)]),
    ...(step.text === undefined && step.chunks === undefined ? [] : [messageOutput(step, `msg_${requestNumber}`)]),
    ...(step.calls ?? []).map((call, index) => callOutput(call, `${requestNumber}_${index + 1}`)),
  ]
  const response = {
    id: `resp_${requestNumber}`,
    object: 'response',
    model: 'scripted',
    status: 'in_progress',
    output: [],
  }
  const numbered = outputs.flatMap((output, index) => output.frames.map((frame) => ({ ...frame, output_index: index })))
  const frames: Frame[] = [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    ...numbered,
    endFrame(step, { ...response, output: outputs.map((output) => output.item) }),
  ]
  return frames.map(
    (frame, index) => `event: ${frame.type}\ndata: ${JSON.stringify({ ...frame, sequence_number: index })}\n\n`,
  )
}

function endFrame(step: AnswerStep, response: object): Frame {
  const usage = usageFields(step.usage ?? defaultUsage)
  if (!step.incomplete) return { type: 'response.completed', response: { ...response, status: 'completed', usage } }
  const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage }
  return { type: 'response.incomplete', response: { ...response, ...incomplete } }
}

function usageFields(usage: Usage): object {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: usage.input + usage.output,
  }
}

function reasoningOutput(text: string, id: string): StreamedItem {
  const part = { type: 'summary_text', text }
  const item = { id, type: 'reasoning', summary: [part], encrypted_content: `sealed-${id}` }
  const at = { item_id: id, summary_index: 0 }
  return {
    item,
    frames: [
      { type: 'response.output_item.added', item: { id, type: 'reasoning', summary: [] } },
      { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...at, delta: text },
      { type: 'response.reasoning_summary_text.done', ...at, text },
      { type: 'response.reasoning_summary_part.done', ...at, part },
      { type: 'response.output_item.done', item },
    ],
  }
}

function messageOutput(step: AnswerStep, id: string): StreamedItem {
  const chunks = textChunks(step)
  const text = chunks.join('')
  const part = { type: 'output_text', text, annotations: [] }
  const message = { id, type: 'message', role: 'assistant' }
  const item = { ...message, status: 'completed', content: [part] }
  const at = { item_id: id, content_index: 0 }
  return {
    item,
    frames: [
      { type: 'response.output_item.added', item: { ...message, status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...chunks.map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
      { type: 'response.output_text.done', ...at, text },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', item },
    ],
  }
}

function callOutput(call: ScriptedCall, number: string): StreamedItem {
  const id = `fc_${number}`
  const text = argumentsText(call)
  const open = { id, type: 'function_call', call_id: call.id ?? `call_${number}`, name: call.name, arguments: '' }
  const item = { ...open, arguments: text, status: 'completed' }
  return {
    item,
    frames: [
      { type: 'response.output_item.added', item: { ...open, status: 'in_progress' } },
      { type: 'response.function_call_arguments.delta', item_id: id, delta: text },
      { type: 'response.function_call_arguments.done', item_id: id, arguments: text },
      { type: 'response.output_item.done', item },
    ],
  }
}
