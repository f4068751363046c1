import {
  type AnswerStep,
  argumentsText,
  defaultUsage,
  type ScriptedCall,
  textChunks,
  type Usage,
} from './scripted-step.ts'

/** Returns the server-sent events of a Chat Completions endpoint for the answer, in order. */
export function chatFrames(step: AnswerStep, requestNumber: number): string[] {
  const head = { id: `chatcmpl_${requestNumber}`, object: 'chat.completion.chunk', created: 0, model: 'scripted' }
  const choice = (delta: object, finish: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const chunks = [
    choice({ role: 'assistant', content: '' }),
    ...(step.reasoning === undefined ? [] : [choice({ reasoning_content: step.reasoning })]),
    ...textChunks(step).map((content) => choice({ content })),
    ...(step.calls ?? []).flatMap((call, index) =>
      callDeltas(call, index, requestNumber).map((delta) => choice({ tool_calls: [delta] })),
    ),
    choice({}, finishReason(step)),
    { ...head, choices: [], usage: usageFields(step.usage ?? defaultUsage) },
  ]
  return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n']
}

function finishReason(step: AnswerStep): string {
  if (step.incomplete) return 'length'
  return step.calls?.length ? 'tool_calls' : 'stop'
}

function callDeltas(call: ScriptedCall, index: number, requestNumber: number): object[] {
  const id = call.id ?? `call_${requestNumber}_${index + 1}`
  return [
    { index, id, type: 'function', function: { name: call.name, arguments: '' } },
    { index, function: { arguments: argumentsText(call) } },
  ]
}

function usageFields(usage: Usage): object {
  return {
    prompt_tokens: usage.input,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
    completion_tokens: usage.output,
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: usage.input + usage.output,
  }
}
