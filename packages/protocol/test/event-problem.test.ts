import { type ConversationEvent, eventProblem } from '@parley/protocol'
import { conversationEvent } from '@parley/protocol/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { throughJson } from './laws/deep-freeze.ts'
import { eventStreams } from './laws/event-stream.ts'

const replacements: readonly unknown[] = [
  ...[undefined, null, '', 'text', 'completed', true, false, [], {}],
  ...[0, 1, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1, [null], { type: 'text' }],
]

/** Every field of a value, at any depth, as a way to replace it. */
function places(value: unknown): ((by: unknown) => void)[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => {
    const replace = (by: unknown) => {
      if (by === undefined && !Array.isArray(holder)) delete holder[key]
      else holder[key] = by
    }
    return [replace, ...places(holder[key])]
  })
}

function broken(event: ConversationEvent, { at, by }: { at: number; by: unknown }): ConversationEvent {
  const copy = throughJson(event)
  const all = places(copy)
  all[at % all.length]?.(by)
  return copy
}

describe('the check of an event', () => {
  it('accepts what the schema accepts, and nothing else', () => {
    const breaks = fc.array(fc.record({ at: fc.nat(500), by: fc.constantFrom(...replacements) }), { minLength: 8 })
    fc.assert(
      fc.property(eventStreams, breaks, ({ envelopes }, replaced) => {
        for (const { event } of envelopes) expect(eventProblem(event)).toBeNull()
        for (const [index, one] of replaced.entries()) {
          const { event } = envelopes[index % envelopes.length] ?? {}
          if (event === undefined) continue
          const other = broken(event, one)
          const found = { event: other, fits: eventProblem(other) === null }
          expect(found).toEqual({ event: other, fits: conversationEvent.safeParse(other).success })
        }
      }),
    )
  })

  it('names the field and what it should be', () => {
    const event = { type: 'conversation.configured', settings: { model: '' } }
    expect(eventProblem(event)).toBe('settings.model is empty or no text')
    expect(eventProblem({ type: 'item.delta', itemId: 'i' } as never)).toBe('text is missing')
    expect(eventProblem({ type: 'model.requested', turnId: 't', attempt: 0.5 } as never)).toBe(
      'attempt is not a whole number >= 1',
    )
    expect(eventProblem({ type: 'new.kind' })).toBe('type is "new.kind"')
  })

  it('takes fields that are undefined for absent, as JSON does', () => {
    expect(eventProblem({ type: 'conversation.renamed', name: 'n', by: undefined } as never)).toBeNull()
    expect(eventProblem({ type: 'conversation.renamed', name: undefined } as never)).toBe('name is missing')
  })
})
