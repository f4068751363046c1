import { describe, expect, it } from 'vitest'
import type { ModelEntry, ModelRequest } from '../../../src/port/model-client.ts'
import { geminiWire } from '../../../src/wires/gemini/wire.ts'
import { requestOf, response, result, SHELL, textWriter, user } from '../../support/requests.ts'

const write = textWriter(geminiWire.createWriter('own'))

function bodyOf(entries: readonly ModelEntry[], more: Partial<ModelRequest> = {}) {
  return JSON.parse(write(requestOf(entries, { model: 'gemini-3-pro-preview', ...more })))
}

const signature = 'EpEgCo4gAb4'
const part = (name: string, more: object = {}) => ({ functionCall: { name, args: {}, ...more } })
const calls = (...ids: readonly string[]) => ids.map((id) => ({ callId: id, name: `tool-${id}`, arguments: '{}' }))

describe('the Gemini request', () => {
  it('answers parallel calls in one content, in call order and by name, apart from the next message', () => {
    const parts = [{ ...part('tool-a'), thoughtSignature: signature }, part('tool-b', { id: 'b' })]
    const entries = [
      user('go'),
      response({ adapter: 'own', parts, calls: calls('a', 'b') }),
      result('a', 'one'),
      result('b', 'two', true),
      user('more'),
    ]
    expect(bodyOf(entries).contents).toEqual([
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'tool-a', response: { output: 'one' } } },
          { functionResponse: { id: 'b', name: 'tool-b', response: { error: 'two' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'more' }] },
    ])
  })

  it('signs the first call of another wire for models that need a signature, and for no others', () => {
    const entries = [
      user('go'),
      response({ adapter: 'other', text: 'Hm', calls: calls('a', 'b') }),
      result('a'),
      result('b'),
    ]
    const signedCall = { ...part('tool-a'), thoughtSignature: 'skip_thought_signature_validator' }
    expect(bodyOf(entries).contents[1].parts).toEqual([{ text: 'Hm' }, signedCall, part('tool-b')])
    const older = bodyOf(entries, { model: 'gemini-2.5-flash' })
    expect(older.contents[1].parts).toEqual([{ text: 'Hm' }, part('tool-a'), part('tool-b')])
  })

  it('sends instructions, tools, images and a schema in their places', () => {
    const image = { type: 'image', mediaType: 'image/png', base64: 'aGk=' } as const
    const body = bodyOf([{ kind: 'user', content: [image] }], { outputSchema: { type: 'object' } })
    expect(body).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'shell', parametersJsonSchema: SHELL.parameters }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } },
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }] }],
    })
  })

  it.each([
    ['gemini-3-pro-preview', undefined, { includeThoughts: true }],
    ['gemini-3-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'medium' }],
    ['gemini-2.5-flash', 'low', { includeThoughts: true, thinkingBudget: 2_048 }],
    ['gemini-2.5-pro', 'none', { includeThoughts: true, thinkingBudget: 128 }],
    ['gemma-3-27b-it', 'high', undefined],
  ])('sets the thinking of %s with effort %s', (model, effort, thinkingConfig) => {
    const more = effort === undefined ? {} : { effort }
    expect(bodyOf([user('a')], { model, ...more }).generationConfig?.thinkingConfig).toEqual(thinkingConfig)
  })

  it('asks below the path of the model, and lists models that generate content', () => {
    expect(geminiWire.requestPath('gemini-3-pro-preview')).toBe(
      '/models/gemini-3-pro-preview:streamGenerateContent?alt=sse',
    )
    expect(geminiWire.requestPath('tunedModels/a b')).toBe('/tunedModels/a%20b:streamGenerateContent?alt=sse')
    const models = [
      { name: 'models/gemini-3-pro-preview', supportedGenerationMethods: ['generateContent'] },
      { name: 'models/embedding-001', supportedGenerationMethods: ['embedContent'] },
    ]
    expect(geminiWire.readModels(JSON.stringify({ models }))).toEqual([{ id: 'gemini-3-pro-preview' }])
  })
})
