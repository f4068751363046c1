import { parseRecord } from '@parley/text'

/** Wires with answers of a recognisable shape. */
export type ShapedWire = 'responses' | 'chat' | 'anthropic' | 'gemini'

/** Fields and types of the events of each wire; no two wires share any. */
const shapes: readonly (readonly [ShapedWire, RegExp, readonly string[]])[] = [
  ['responses', /^response\./, []],
  ['chat', /^chat\.completion/, ['choices']],
  ['anthropic', /^(?:message(?:_start|_delta|_stop)?|content_block_(?:start|delta|stop)|ping)$/, []],
  ['gemini', /^$/, ['candidates', 'promptFeedback', 'usageMetadata']],
]

/** Tells which wire an event or a whole answer belongs to; undefined for an error and for anything unknown. */
export function shapeOf(data: string): ShapedWire | undefined {
  const event = parseRecord(data)
  if (event === undefined) return undefined
  const names = [event['type'], event['object']].filter((name) => typeof name === 'string')
  if (event['object'] === 'response') return 'responses'
  return shapes.find(
    ([, pattern, fields]) => names.some((name) => pattern.test(name)) || fields.some((field) => field in event),
  )?.[0]
}

/** Tells whether text can be the beginning of a line of an event stream that was cut. */
export function isCutLine(text: string): boolean {
  return ['event', 'data', 'id', 'retry'].some((field) => field.startsWith(text))
}
