import type { ModelEntry } from '@parley/models'
import type { ConversationEvent, Item } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { createModelView } from '../../src/core/model-view.ts'
import type { SideFileReader } from '../../src/core/view/view-content.ts'

const context = (sessionContext: string): ConversationEvent => ({
  type: 'context.set',
  instructions: 'sha256:i',
  tools: 'sha256:t',
  sessionContext,
  adapter: 'a',
  instructionFiles: [],
})
const completed = (item: Item): ConversationEvent => ({ type: 'item.completed', turnId: 't1', item })
const user = (text: string) =>
  completed({
    id: text,
    type: 'userMessage',
    status: 'completed',
    title: text,
    text,
    content: [{ type: 'text', text }],
  })
const agent = (text: string, status: Item['status'] = 'completed') =>
  completed({ id: text, type: 'agentMessage', status, title: '', text })
const asked: ConversationEvent = { type: 'model.requested', turnId: 't1', attempt: 1 }
const responded = (text: string, ...ids: string[]): ConversationEvent => ({
  type: 'model.responded',
  turnId: 't1',
  adapter: 'a',
  parts: [{ text }],
  text,
  calls: ids.map((id) => ({ itemId: id, callId: `call-${id}`, name: 'x', arguments: '{}' })),
})
const result = (id: string, modelText: string, status: Item['status'] = 'completed') =>
  completed({ id, type: 'toolCall', status, title: '', text: '', tool: 'x', input: '{}', modelText })
const ended: ConversationEvent = {
  type: 'turn.ended',
  turnId: 't1',
  outcome: 'interrupted',
  usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 },
  denials: [],
}

function viewOf(...events: ConversationEvent[]) {
  const view = createModelView()
  for (const [index, event] of events.entries()) view.apply(event, { seq: index + 1, place: 0 })
  return view
}

const shown = (entries: readonly ModelEntry[]) =>
  entries.map((entry) => {
    if (entry.kind === 'user')
      return `user: ${entry.content.map((part) => (part.type === 'text' ? part.text : `[${part.base64}]`)).join('')}`
    return entry.kind === 'result' ? `${entry.callId}: ${entry.text}` : `model: ${entry.text}`
  })
const entriesOf = (...events: ConversationEvent[]) => shown(viewOf(...events).request.entries(named))

describe('what the model sees', () => {
  it('has the session context before the messages it is about', () => {
    expect(entriesOf(user('hi'), context('e1'), asked, responded('yo'))).toEqual([
      'user: <e1>',
      'user: hi',
      'model: yo',
    ])
  })

  it('says the session context again where it changed and leaves what was sent as it is', () => {
    const first = [user('hi'), context('e1'), asked, responded('yo')]
    expect(entriesOf(...first, context('e1'), user('more'), context('e2'), asked)).toEqual([
      'user: <e1>',
      'user: hi',
      'model: yo',
      'user: <e2>',
      'user: more',
    ])
  })

  it('has one result per call, in the order of the calls', () => {
    const events = [user('hi'), asked, responded('', 'a', 'b', 'c'), result('c', 'C'), result('a', 'A', 'failed')]
    expect(entriesOf(...events)).toEqual([
      'user: hi',
      'model: ',
      'call-a: A',
      'call-b: Not run: the conversation was cut here.',
      'call-c: C',
    ])
  })

  it('tells an error from a result', () => {
    const entries = viewOf(
      asked,
      responded('', 'a', 'b'),
      result('a', 'A'),
      result('b', 'B', 'denied'),
    ).request.entries(filesWith(null))
    expect(entries.slice(1)).toMatchObject([{ isError: false }, { isError: true }])
  })

  it('has an answer that was cut for good, as the user saw it', () => {
    expect(entriesOf(user('hi'), asked, agent('Half an', 'interrupted'), ended, user('go on'))).toEqual([
      'user: hi',
      'model: Half an',
      'user: go on',
    ])
  })

  it('has an answer once when it was retried or is whole', () => {
    expect(entriesOf(user('hi'), asked, agent('Half'), asked, agent('Whole'), responded('Whole'), ended)).toEqual([
      'user: hi',
      'model: Whole',
    ])
  })

  it("has the user's own commands", () => {
    const item: Item = {
      id: 's',
      type: 'shellCommand',
      status: 'completed',
      title: '',
      text: '',
      command: 'ls',
      cwd: '/',
      modelText: 'I ran ls',
    }
    expect(entriesOf(completed(item))).toEqual(['user: I ran ls'])
  })

  it('leaves out notices and calls of a response that never was whole', () => {
    const notice: Item = { id: 'n', type: 'notice', status: 'completed', title: '', text: '', level: 'info', code: 'x' }
    expect(entriesOf(user('hi'), asked, result('a', 'A', 'interrupted'), completed(notice), ended)).toEqual([
      'user: hi',
    ])
  })

  it('has a fixed text for a side file that is missing', () => {
    expect(shown(viewOf(context('e1')).request.entries(filesWith(null)))).toEqual([
      'user: (A file of this conversation is missing here.)',
    ])
  })

  it('has an image in its place, and a fixed text for one that is missing', () => {
    const image = { type: 'image' as const, file: 'sha256:p', mediaType: 'image/png', name: 'p.png' }
    const sent: Item = {
      id: 'u',
      type: 'userMessage',
      status: 'completed',
      title: '',
      text: '',
      content: [{ type: 'text', text: 'see ' }, image],
    }
    const view = viewOf(completed(sent))
    expect(shown(view.request.entries(named))).toEqual(['user: see [<sha256:p>]'])
    expect(shown(viewOf(completed(sent)).request.entries(filesWith(null)))).toEqual([
      'user: see (A file of this conversation is missing here.)',
    ])
  })

  it('keeps each entry the same object, so that its bytes can be kept', () => {
    const view = viewOf(user('hi'), context('e1'), asked, responded('yo', 'a'), result('a', 'A'))
    const first = view.request.entries(filesWith('env'))
    view.apply(user('more'), { seq: 6, place: 0 })
    const second = view.request.entries(filesWith('env'))
    expect(first).toHaveLength(4)
    expect(first.every((entry, index) => entry === second[index])).toBe(true)
  })
})

/** Says which file was asked for. */
const named: SideFileReader = { readText: (file) => `<${file}>`, readBase64: (file) => `<${file}>` }

function filesWith(text: string | null): SideFileReader {
  return { readText: () => text, readBase64: () => null }
}
