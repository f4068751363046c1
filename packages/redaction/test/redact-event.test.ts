import { type ConversationEvent, redactionTable } from '@parley/protocol'
import { conversationEvent } from '@parley/protocol/schema'
import { redactEvent, redactParts } from '@parley/redaction'
import { describe, expect, it } from 'vitest'

const redact = (text: string) => `[${text}]`
const events = conversationEvent.options.map((option) => ({
  type: option.shape.type.value,
  samples: samplesOf(option as unknown as Schema) as readonly ConversationEvent[],
}))

describe('every text of an event', () => {
  it.each(events)('of type $type is redacted, but for the fields in the table', ({ type, samples }) => {
    const { leave } = redactionTable[type]
    for (const sample of samples) {
      const texts = textsOf(sample)
      const redacted = new Map(textsOf(redactEvent(sample, redact)))
      const kept = texts.filter(([path, text]) => redacted.get(path) === text).map(([path]) => withoutIndexes(path))
      expect(kept.filter((path) => !isLeft(path, leave))).toEqual([])
      expect(texts.filter(([path]) => isLeft(withoutIndexes(path), leave)).length).toBe(kept.length)
    }
  })
})

it('an event without a secret stays the same object', () => {
  for (const { samples } of events)
    for (const sample of samples) expect(redactEvent(sample, (text) => text)).toBe(sample)
})

it('names that a user or a tool has given leave nothing alone', () => {
  const names = { id: 'text', data: 'text', cwd: 'text', type: 'text' }
  const started: ConversationEvent = { type: 'turn.started', turnId: 't', trigger: 'message', outputSchema: names }
  expect(redactEvent(started, redact)).toMatchObject({ outputSchema: { id: '[text]', data: '[text]', cwd: '[text]' } })
})

it("parts of a provider keep what it wants back, and their calls' arguments stay JSON", () => {
  const parts = [
    { type: 'call', call_id: 'c', signature: ['s'], arguments: '{"a":"b\\nc"}', content: [{ data: 'd', text: 'e' }] },
  ]
  const redacted = redactParts(parts, (text) => text.replaceAll('nc', 'X').replaceAll('\nc', 'X').replaceAll('e', 'X'))
  expect(redacted).toEqual([
    { type: 'call', call_id: 'c', signature: ['s'], arguments: '{"a":"bX"}', content: [{ data: 'd', text: 'X' }] },
  ])
  expect(redactParts(parts, (text) => text)).toBe(parts)
})

interface Schema {
  readonly def: {
    readonly type: string
    readonly shape?: Readonly<Record<string, Schema>>
    readonly element?: Schema
    readonly options?: readonly Schema[]
    readonly innerType?: Schema
    readonly valueType?: Schema
    readonly values?: readonly unknown[]
    readonly entries?: Readonly<Record<string, string>>
  }
}

/** Makes values of a schema that together have all of its fields and all members of its unions. */
function samplesOf({ def }: Schema): readonly unknown[] {
  switch (def.type) {
    case 'object':
      return objectsOf(def.shape ?? {})
    case 'array':
      return samplesOf(def.element as Schema).map((sample) => [sample])
    case 'union':
      return (def.options ?? []).flatMap(samplesOf)
    case 'record':
      return samplesOf(def.valueType as Schema).map((sample) => ({ named: sample }))
    case 'string':
      return ['text']
    case 'literal':
      return [def.values?.[0]]
    case 'enum':
      return Object.values(def.entries ?? {}).slice(0, 1)
    case 'number':
    case 'boolean':
      return [1]
    case 'unknown':
      return [{ other: 'text', list: [{ deep: 'text' }] }]
    default:
      if (def.innerType === undefined) throw new Error(`no sample of ${def.type}`)
      return samplesOf(def.innerType)
  }
}

function objectsOf(shape: Readonly<Record<string, Schema>>): readonly unknown[] {
  const fields = Object.entries(shape).map(([key, field]) => ({ key, samples: samplesOf(field) }))
  const count = Math.max(1, ...fields.map(({ samples }) => samples.length))
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(fields.map(({ key, samples }) => [key, samples[index % samples.length]])),
  )
}

function textsOf(value: unknown, path = ''): (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, path === '' ? key : `${path}.${key}`))
}

function withoutIndexes(path: string): string {
  return path.replaceAll(/\.\d+(?=\.|$)/g, '')
}

function isLeft(path: string, leave: readonly string[]): boolean {
  return leave.some((left) => path === left || path.startsWith(`${left}.`))
}
