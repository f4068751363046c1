import type { ConversationEvent, Item } from '@parley/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createModelView, type ModelView } from '../../../src/core/model-view.ts'
import type { ReadEvent } from '../../../src/core/view/view-blocks.ts'
import type { SideFileReader } from '../../../src/core/view/view-content.ts'
import { emptyFold } from '../../../src/core/view/view-fold.ts'
import { addPart, type ViewPart } from '../../../src/core/view/view-snapshot.ts'

type Move =
  | 'message'
  | 'context'
  | 'request'
  | 'calls'
  | 'result'
  | 'answer'
  | 'draft'
  | 'ended'
  | 'shell'
  | 'usage'
  | 'compacted'
  | 'cleared'
  | 'restored'
  | 'background'

const moves = fc.array(
  fc.constantFrom<Move>(
    ...(['message', 'context', 'request', 'calls', 'calls', 'result', 'result', 'answer', 'draft', 'ended'] as const),
    ...(['shell', 'usage', 'compacted', 'cleared', 'restored', 'background'] as const),
  ),
  { maxLength: 40 },
)

const files: SideFileReader = { readText: (file) => `<${file}>`, readBase64: (file) => `<${file}>` }
const tokens = { inputTokens: 7, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0 }

function eventsOf(list: readonly Move[]): ConversationEvent[] {
  const open: string[] = []
  const ended: string[] = []
  let compacted = 0
  return list.map((move, index) => eventOf(move, index + 1))

  function eventOf(move: Move, seq: number): ConversationEvent {
    const turnId = 't1'
    switch (move) {
      case 'message':
        return completed({ ...shown(`u${seq}`), type: 'userMessage', content: [{ type: 'text', text: `say ${seq}` }] })
      case 'context': {
        const context = { instructions: 'i', tools: 't', adapter: 'a', instructionFiles: [] }
        return { type: 'context.set', ...context, sessionContext: `s${seq % 3}` }
      }
      case 'request':
        return { type: 'model.requested', turnId, attempt: 1 }
      case 'calls': {
        const ids = [`c${seq}a`, `c${seq}b`]
        open.push(...ids)
        const calls = ids.map((itemId) => ({
          itemId,
          callId: `id-${itemId}`,
          name: 'x',
          arguments: `{"n":${seq % 2}}`,
        }))
        return { type: 'model.responded', turnId, adapter: 'a', parts: [{ seq }], text: `r${seq}`, calls }
      }
      case 'result': {
        const id = open.shift()
        if (id !== undefined) ended.push(id)
        const images = seq % 2 === 0 ? [{ file: `f${seq}`, mediaType: 'image/png', name: 'p.png' }] : []
        const call = { tool: 'x', input: '{}', modelText: `result ${seq % 2}`, images }
        return completed({ ...shown(id ?? `none${seq}`), type: 'toolCall', ...call, facts: readFacts(seq) })
      }
      case 'answer':
        return { type: 'model.responded', turnId, adapter: 'a', parts: [], text: `answer ${seq}`, calls: [] }
      case 'draft':
        return completed({ ...shown(`d${seq}`), type: 'agentMessage', text: `half ${seq}` })
      case 'ended':
        return { type: 'turn.ended', turnId, outcome: 'interrupted', usage: tokens, denials: [] }
      case 'shell':
        return completed({ ...shown(`s${seq}`), type: 'shellCommand', command: 'ls', cwd: '/', output: stored(seq) })
      case 'usage':
        return { type: 'usage.updated', turnId, counts: { ...tokens, inputTokens: seq } }
      case 'compacted': {
        compacted = seq
        const counts = { turnId, from: 1, trigger: 'manual', tokensBefore: 9, tokensAfter: 3 } as const
        return {
          type: 'context.compacted',
          itemId: `k${seq}`,
          to: seq - 3,
          summary: `sum ${seq}`,
          carried: 'f',
          ...counts,
        }
      }
      case 'cleared':
        return {
          type: 'context.cleared',
          itemId: `k${seq}`,
          itemIds: [...ended],
          ...{ turnId, trigger: 'manual', tokensBefore: 9, tokensAfter: 3 },
        }
      case 'restored':
        return { type: 'context.restored', seq: compacted, tokensBefore: 3, tokensAfter: 9 } as ConversationEvent
      case 'background': {
        const command = { type: 'commandExecution', tool: 'shell', input: '{}', command: ['sleep'], cwd: '/' }
        return completed({ ...shown(`b${seq}`), ...command, background: true } as unknown as Item)
      }
    }
  }
}

const shown = (id: string) => ({ id, status: 'completed', title: id, text: id }) as const
const completed = (item: Item): ConversationEvent => ({ type: 'item.completed', turnId: 't1', item })
const stored = (seq: number) => ({ head: 'h', tail: 't', totalBytes: 9, omittedBytes: 7, file: `sha256:${seq}` })
const readFacts = (seq: number) => ({ kind: 'read', paths: [{ path: `/p${seq % 4}` }] })

function apply(view: ModelView, events: readonly ConversationEvent[], from = 0): ModelView {
  for (const [index, event] of events.entries()) view.apply(event, { seq: from + index + 1, place: from + index })
  return view
}

function restoredView(parts: Iterable<ViewPart>, readEvent: ReadEvent): ModelView {
  const fold = emptyFold(readEvent)
  for (const part of parts) addPart(fold, part)
  return createModelView(fold)
}

/** Everything that can be asked of a view. */
function seenOf(view: ModelView, events: readonly ConversationEvent[]) {
  const ids = events.flatMap((event) => {
    if (event.type === 'item.completed') return [event.item.id]
    return event.type === 'model.responded' ? event.calls.map(({ itemId }) => itemId) : []
  })
  return {
    entries: view.request.entries(files),
    without: view.request.entries(files, {
      without: events.findLastIndex(({ type }) => type === 'context.compacted') + 1,
    }),
    blocks: view.request.blocks(),
    texts: [...view.userTexts(events.length, files)],
    calls: ids.map((id) => [view.calls.of(id), view.calls.resultOf(id), view.calls.outputFileOf(id)]),
    ...{
      past: view.past,
      context: view.context,
      counted: view.request.counted(files),
      estimate: view.request.estimate(files),
    },
    background: [...view.calls.background],
    repeated: { row: view.calls.repeated.row, places: [...view.calls.repeated.places] },
    parts: [...view.parts()],
  }
}

it('a view goes on from its snapshot as if it had folded every event', () => {
  fc.assert(
    fc.property(moves, fc.nat(40), (list, at) => {
      const events = eventsOf(list)
      const readEvent = (place: number) => {
        const event = events[place]
        if (event === undefined) throw new Error(`there is no event at ${place}`)
        return event
      }
      const parts = JSON.parse(JSON.stringify([...apply(createModelView(), events.slice(0, at)).parts()]))
      const restored = apply(restoredView(parts, readEvent), events.slice(at), Math.min(at, events.length))
      const folded = seenOf(apply(createModelView(), events), events)
      expect(seenOf(restored, events)).toEqual(folded)
      // A view that can read the log forgets the content that compactions hide.
      expect(seenOf(apply(createModelView(emptyFold(readEvent)), events), events)).toEqual(folded)
    }),
  )
})

it('a view says the same however often it was asked before', () => {
  fc.assert(
    fc.property(moves, (list) => {
      const events = eventsOf(list)
      const asked = createModelView()
      for (const [index, event] of events.entries()) {
        asked.apply(event, { seq: index + 1, place: index })
        const once = apply(createModelView(), events.slice(0, index + 1))
        expect([asked.request.entries(files), asked.request.estimate(files), asked.request.isAnswered()]).toEqual([
          once.request.entries(files, { cleared: new Set() }),
          once.request.estimate(files, { cleared: new Set() }),
          once.request.blocks().some(({ kind }) => kind === 'response'),
        ])
      }
      expect(seenOf(asked, events)).toEqual(seenOf(apply(createModelView(), events), events))
    }),
  )
})

it('what the next request holds can be read in steps, and nothing else is read for it', () => {
  const events = eventsOf([
    'message',
    'request',
    'calls',
    'result',
    'result',
    'ended',
    'message',
    'request',
    'answer',
    'compacted',
    'message',
    'calls',
    'result',
  ])
  const read: number[] = []
  const view = restoredView(apply(createModelView(), events).parts(), (place) => {
    read.push(place)
    return events[place] as ConversationEvent
  })
  const steps = [...view.request.reading()]
  const before = [...read]
  expect(steps.length).toBeGreaterThan(1)
  view.request.entries(files)
  expect(read).toEqual(before)
  expect(Math.min(...read)).toBeGreaterThan(5)
})
