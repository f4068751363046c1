/** Shapes in which the Gemini API streams, by what is told apart: chunks, without what frames them. */
type Shapes = Readonly<Record<string, readonly object[]>>

const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: 9, totalTokenCount: 29 }
const thinking = { ...usageMetadata, thoughtsTokenCount: 5, totalTokenCount: 34, cachedContentTokenCount: 4 }
const chunk = (parts: readonly object[], more: object = {}, usage: object = usageMetadata) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  ...{ usageMetadata: usage, modelVersion: 'm', responseId: 'r1' },
})
const stop = { finishReason: 'STOP' }
const sign = { thoughtSignature: 'c2ln' }
const whole = (path: string) => ({ functionCall: { name: 'look', args: { path } } })
const piece = (call: object, more: object = {}) => chunk([{ functionCall: call }], more)

export const geminiShapes: Shapes = {
  'text in pieces': [chunk([{ text: 'Hel' }]), chunk([{ text: 'lo' }], stop)],
  'an end in a chunk of its own': [chunk([{ text: 'Hello' }]), { candidates: [{ ...stop, index: 0 }], usageMetadata }],
  'an end with empty text': [chunk([{ text: 'Hello' }]), chunk([{ text: '' }], stop)],
  'a signature with empty text': [chunk([{ text: 'Hello' }]), chunk([{ text: '', ...sign }], stop)],
  'a thought before the text': [
    chunk([{ text: 'Let me see.', thought: true }], {}, thinking),
    chunk([{ text: 'Hello' }], stop, thinking),
  ],
  'a thought and text in one chunk': [
    chunk(
      [
        { text: 'Hm.', thought: true },
        { text: 'Hello', ...sign },
      ],
      stop,
      thinking,
    ),
  ],
  'a call': [chunk([{ ...whole('a'), ...sign }], stop)],
  'a call without arguments': [chunk([{ functionCall: { name: 'look' }, ...sign }], stop)],
  'two calls in one chunk': [chunk([{ ...whole('a'), ...sign }, whole('b')], stop)],
  'calls in two chunks, behind text': [chunk([{ text: 'Both.' }]), chunk([whole('a')]), chunk([whole('b')], stop)],
  'a call with pieces of its arguments': [
    piece({ name: 'look', willContinue: true }),
    piece({ partialArgs: [{ jsonPath: '$.path', stringValue: 'a', willContinue: true }], willContinue: true }),
    piece({ partialArgs: [{ jsonPath: '$.path', stringValue: 'b' }], willContinue: true }),
    piece({}, stop),
  ],
  'pieces of nested arguments': [
    piece({ name: 'look', willContinue: true }),
    piece({ partialArgs: [{ jsonPath: '$.at.line', numberValue: 7 }], willContinue: true }),
    piece({ partialArgs: [{ jsonPath: '$.at.deep', boolValue: true }], willContinue: true }),
    piece({ partialArgs: [{ jsonPath: '$.paths[0]', stringValue: 'a' }], willContinue: true }),
    piece({ partialArgs: [{ jsonPath: '$.paths[1]', stringValue: 'b' }], willContinue: true }),
    piece({}, stop),
  ],
  'counts by modality, and facts beside them': [
    {
      ...chunk([{ text: 'Hello' }], stop, {
        ...usageMetadata,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 20 }],
        candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 9 }],
        trafficType: 'ON_DEMAND',
      }),
      createTime: '2026-01-01T00:00:00Z',
    },
  ],
  'code that the provider ran': [
    chunk([{ executableCode: { language: 'PYTHON', code: '1' } }]),
    chunk([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }, { text: 'One.' }], stop),
  ],
  'an end at the limit of output': [chunk([{ text: 'Hal' }], { finishReason: 'MAX_TOKENS' })],
  'an end by a filter': [
    chunk([{ text: 'Hal' }], {
      finishReason: 'SAFETY',
      safetyRatings: [{ category: 'HARM_CATEGORY_X', probability: 'HIGH', blocked: true }],
    }),
  ],
  'an end because it repeats a source': [chunk([{ text: 'Hal' }], { finishReason: 'RECITATION' })],
}
