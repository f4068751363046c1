import { readFileSync } from 'node:fs'
import { type Envelope, initialState, reduce } from '@parley/protocol'
import { conversationEvent, deliveredEnvelope, methods } from '@parley/protocol/schema'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const folder = new URL('../../../docs/protocol/', import.meta.url)
const page = readFileSync(new URL('README.md', folder), 'utf8')
const anyMessage = z.fromJSONSchema(JSON.parse(readFileSync(new URL('schema.json', folder), 'utf8')))

type Message = Readonly<Record<string, unknown>>
const session = readTranscript()
const sent = session.filter(({ from }) => from === 'client').map(({ message }) => message)
const received = session.filter(({ from }) => from === 'server').map(({ message }) => message)

describe('the session on the reference page', () => {
  it('has only messages that schema.json allows', () => {
    for (const { message } of session) expect(anyMessage.safeParse(message).error).toBeUndefined()
  })

  it.each([
    { jsonrpc: '2.0', id: 9, method: 'conversation/sendMessage', params: { conversationId: '01a1…32d0', input: [] } },
    { jsonrpc: '2.0', id: 9, method: 'conversation/paint', params: {} },
    { jsonrpc: '2.0', method: 'conversation/event', params: { seq: 1 } },
    { id: 9, result: {} },
  ])('would not be one with %j in it', (message) => {
    expect(anyMessage.safeParse(message).success).toBe(false)
  })

  it('has only requests with parameters as the methods define them', () => {
    const requests = sent.filter((message) => 'id' in message)
    expect(requests.length).toBeGreaterThan(4)
    for (const { method, params } of requests) expect(methodOf(method).params.parse(params)).toEqual(params)
  })

  it('answers each request once, with a result as its method defines it', () => {
    const requests = sent.filter((message) => 'id' in message)
    const answers = received.filter((message) => 'result' in message)
    expect(answers.map(({ id }) => id)).toEqual(requests.map(({ id }) => id))
    for (const { id, result } of answers) {
      const request = requests.find((one) => one['id'] === id)
      expect(methodOf(request?.['method']).result.parse(result)).toEqual(result)
    }
  })

  it('has events as they are delivered, and folding them ends the turn', () => {
    const envelopes = received.flatMap(({ params }) => (params === undefined ? [] : [params]))
    for (const one of envelopes) expect(deliveredEnvelope.parse(one)).toEqual(one)
    const { core, window } = (envelopes as Envelope[]).reduce(reduce, initialState('01a1…32d0'))
    expect(core).toMatchObject({ turn: null, open: {}, approvals: {}, lastTurn: { outcome: 'completed' } })
    expect(window.map(({ item }) => item.type)).toEqual(['userMessage', 'agentMessage', 'commandExecution'])
  })
})

describe('the reference page', () => {
  const folding = page.slice(page.indexOf('## Folding'), page.indexOf('### The initial state'))

  it.each(conversationEvent.options.map(({ shape }) => shape.type.value))('says what %s changes', (type) => {
    expect(folding).toMatch(new RegExp(`^\\|.*\`${type}\`.*\\|`, 'm'))
  })
})

function methodOf(name: unknown) {
  const found = Object.entries(methods).find(([known]) => known === name)?.[1]
  if (found === undefined) throw new Error(`the session calls ${String(name)}, which is no method`)
  return { params: z.object(found.params.shape), result: z.object(found.result.shape) }
}

/** `{…}` on the page stands for the state of a new conversation. */
function readTranscript(): { from: 'client' | 'server'; message: Message }[] {
  const text = /```transcript\n(.*?)```/s.exec(page)?.[1] ?? ''
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('/*'))
  const state = JSON.stringify(initialState('01a1…32d0'))
  return lines.map((line) => ({
    from: line.startsWith('→ ') ? 'client' : 'server',
    message: JSON.parse(line.slice(2).replace('{…}', () => state)),
  }))
}

it('the page says for every decision what it does to the state', () => {
  const row = page.split('\n').find((line) => line.startsWith('| `approval.decided` |')) ?? ''
  for (const yes of ['approved', 'approvedForSession', 'approvedAlways', 'seal']) expect(row).toContain(`\`${yes}\``)
})
