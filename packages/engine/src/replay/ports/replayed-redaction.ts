import { createRedaction, type Redaction } from '@parley/redaction'
import type { Recording } from '../log/read-recording.ts'

/** Returns a redaction that recognizes the marks of the log, which replace the secrets. */
export function redactionOf({ events }: Recording, home: string): Redaction {
  const unrestorable = new Set<string>()
  const hidden = new Set<string>()
  for (const { event } of events) {
    if (event.type === 'item.started' && 'restorable' in event.item) unrestorable.add(event.item.id)
    if (event.type !== 'model.responded') continue
    for (const call of event.calls) if (unrestorable.has(call.itemId)) hidden.add(call.arguments)
  }
  const redaction = createRedaction({ home, env: {} })
  return {
    text: (text) => text,
    hasSecret: (text) => hidden.has(text),
    secretsIn: () => new Map(),
    seal: () => replaySeal,
    longText: redaction.longText,
    excerpt: redaction.excerpt,
    stream: redaction.stream,
    filter: redaction.filter,
    useKey: redaction.useKey,
    learn: redaction.learn,
    hide: redaction.hide,
  }
}

/** Seal of every yes in a replay: no log holds the key of the one in it. */
export const replaySeal = 'replay'
