import { smallPng } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { chatWire } from '../../src/wires/chat/wire.ts'
import { geminiWire } from '../../src/wires/gemini/wire.ts'
import { responsesWire } from '../../src/wires/responses/wire.ts'
import { chatChunk, readStream, responsesEvent } from '../support/read-body.ts'

const base64 = smallPng.toString('base64')
const line = '[Picture made here: image/png, 1 KiB]'
const url = `data:image/png;base64,${base64}`
const gemini = (parts: readonly object[]) =>
  `data: ${JSON.stringify({ candidates: [{ content: { parts, role: 'model' }, finishReason: 'STOP' }] })}\n\n`
const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: base64 }
const images = [{ type: 'image_url', image_url: { url } }]
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
const chatEnd = `data: ${JSON.stringify(stop)}\n\ndata: [DONE]\n\n`

const answers = [
  {
    name: 'Gemini, with its signature',
    wire: geminiWire,
    body: gemini([{ inlineData: { mimeType: 'image/png', data: base64 }, thoughtSignature: 'sealed' }]),
    parts: [{ text: `\n${line}\n`, thoughtSignature: 'sealed' }],
  },
  {
    name: 'Responses',
    wire: responsesWire,
    body:
      responsesEvent('response.output_item.done', { output_index: 0, item }) +
      responsesEvent('response.completed', { response: { output: [item] } }),
    parts: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: line }] }],
  },
  {
    name: 'Chat Completions',
    wire: chatWire,
    body: chatChunk({ images }) + chatEnd,
    parts: [{ role: 'assistant', content: line }],
  },
  {
    name: 'Chat Completions, where a whole message repeats it',
    wire: chatWire,
    body: `${chatChunk({ images })}data: ${JSON.stringify({ choices: [{ index: 0, message: { images }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    parts: [{ role: 'assistant', content: line }],
  },
]

describe('a picture that a model makes', () => {
  it.each(answers)('alone is an answer on $name, and a line goes back in its place', ({ wire, body, parts }) => {
    const events = readStream(wire, body)
    expect(events.slice(0, -1)).toEqual([{ type: 'picture', part: 'picture-0', mediaType: 'image/png', base64 }])
    expect(events.at(-1)).toMatchObject({ type: 'completed', stop: 'stop', parts })
    expect(JSON.stringify(parts)).not.toContain(base64)
  })

  it('is none of the answer where it is a draft within thoughts of Gemini', () => {
    const draft = { inlineData: { mimeType: 'image/png', data: base64 }, thought: true }
    const events = readStream(geminiWire, gemini([draft, { text: 'Here.' }]))
    expect(events.map(({ type }) => type)).toEqual(['textDelta', 'textDone', 'completed'])
  })

  it('is said by its address where a gateway keeps it elsewhere', () => {
    const elsewhere = [{ type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } }]
    const events = readStream(chatWire, chatChunk({ images: elsewhere }) + chatEnd)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'pictureText', text: expect.stringContaining('https://pictures.example/1.png') }),
    )
  })
})
