import { type AnswerStep, defaultUsage, type ScriptedCall, textChunks, type Usage } from './scripted-step.ts'

/** Returns the server-sent events of the Gemini API for the answer, in order. */
export function geminiFrames(step: AnswerStep, requestNumber: number): string[] {
  const usageMetadata = usageFields(step.usage ?? defaultUsage)
  const chunk = (parts: readonly object[], more: object = {}) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    usageMetadata,
    modelVersion: 'scripted',
    responseId: `resp_${requestNumber}`,
  })
  const calls = (step.calls ?? []).map((call, index) => callPart(call, index === 0 ? `sealed-${requestNumber}` : ''))
  const chunks = [
    ...(step.reasoning === undefined ? [] : [chunk([{ text: step.reasoning, thought: true }])]),
    ...(step.text === undefined && step.chunks === undefined ? [] : textChunks(step).map((text) => chunk([{ text }]))),
    ...(calls.length === 0 ? [] : [chunk(calls)]),
    chunk([{ text: '' }], { finishReason: step.incomplete ? 'MAX_TOKENS' : 'STOP' }),
  ]
  return chunks.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`)
}

/** Returns the part of a call. The API gives no ids, and a signature only in the first call of an answer. */
function callPart({ id, name, arguments: args }: ScriptedCall, thoughtSignature: string): object {
  const functionCall = { ...(id === undefined ? {} : { id }), name, args }
  return { functionCall, ...(thoughtSignature === '' ? {} : { thoughtSignature }) }
}

function usageFields({ input, cached = 0, output, reasoning = 0 }: Usage): object {
  return {
    promptTokenCount: input,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + output,
  }
}
