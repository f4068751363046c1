import { type ConversationState, initialState, reduce } from '@parley/protocol'
import { conversationEvent, envelope } from '@parley/protocol/schema'
import { describe, expect, it } from 'vitest'
import { valueAtPointer, withoutPointers } from '../json-pointer.ts'
import { envelopesOf, type ReduceFixture, readFixtures } from '../reduce-fixture.ts'

const fixtures = readFixtures()

/** Events and items that no schema of this version knows; only fixtures about other versions hold them. */
const strangers = [
  'a-response-elided-for-clients-opens-the-calls-phase-too',
  'an-item-of-an-unknown-type-is-kept-as-it-came',
  'an-unknown-event-moves-only-seq',
]

describe('reduce, by fixtures', () => {
  it.each(fixtures.map((fixture) => [fixture.says, fixture] as const))('%s', (_says, fixture) => {
    const { before, events } = envelopesOf(fixture)
    const given = before.reduce(reduce, initialState('c0ffee', fixture.forkedFrom))
    check(fixture, given, events.reduce(reduce, given))
  })

  it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
    '%s is a file named for its sentence',
    (name, fixture) => {
      expect(name).toBe(fixture.says.toLowerCase().replaceAll(/[,']/g, '').replaceAll(' ', '-'))
    },
  )

  it.each(fixtures.filter(({ name }) => !strangers.includes(name)).map((fixture) => [fixture.name, fixture] as const))(
    '%s has only valid events',
    (_name, fixture) => {
      const { before, events } = envelopesOf(fixture)
      for (const one of [...before, ...events]) expect(envelope.safeParse(one).error).toBeUndefined()
    },
  )

  it('have every type of event that there is', () => {
    const all = fixtures.flatMap((fixture) => Object.values(envelopesOf(fixture)).flat())
    const types = new Set<string>(all.map(({ event }) => event.type))
    const missing = conversationEvent.options
      .flatMap(({ shape }) => shape.type.value)
      .filter((type) => !types.has(type))
    expect(missing).toEqual([])
  })

  it.each(strangers)('%s has an event that is not valid here', (name) => {
    const events = fixtures.filter((fixture) => fixture.name === name).flatMap((fixture) => envelopesOf(fixture).events)
    expect(events.some((one) => !envelope.safeParse(one).success)).toBe(true)
  })
})

function check(
  { expect: part, at = {}, changesOnly }: ReduceFixture,
  given: ConversationState,
  state: ConversationState,
) {
  if (part !== undefined) expectPart(state, part)
  for (const [pointer, value] of Object.entries(at)) expect(valueAtPointer(state, pointer), pointer).toEqual(value)
  if (changesOnly !== undefined)
    expect(withoutPointers(state, changesOnly)).toEqual(withoutPointers(given, changesOnly))
}

function expectPart(state: ConversationState, part: unknown) {
  expect(state).toMatchObject(Object(part))
  for (const pointer of emptyObjects(part)) expect(valueAtPointer(state, pointer), pointer).toEqual({})
}

function emptyObjects(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const entries = Object.entries(value)
  return entries.length === 0 ? [path] : entries.flatMap(([key, inner]) => emptyObjects(inner, `${path}/${key}`))
}
