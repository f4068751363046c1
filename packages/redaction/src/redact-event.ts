import type { ConversationEvent } from '@parley/protocol'

type RedactText = (text: string) => string

/**
 * Ids, hashes, names of side files, and what providers want back as they gave it: letters that only look like keys, and
 * of no use with a mark in them.
 */
const exempt: ReadonlySet<string> = new Set([
  ...['type', 'id', 'itemId', 'turnId', 'approvalId', 'messageId', 'clientId', 'callId', 'call_id'],
  // Where things run: with a mark in it, nowhere.
  ...['cwd', 'workspace', 'writableRoots'],
  ...['payloadHash', 'contentHash', 'patchHash', 'before', 'after', 'file', 'mediaType'],
  ...['encrypted_content', 'signature', 'thought_signature', 'thoughtSignature', 'data'],
])

/** Side files, here and nowhere else. */
const contextFiles: ReadonlySet<string> = new Set(['instructions', 'tools', 'sessionContext'])

/** JSON text in JSON: what stands in it must still be JSON. */
const jsonTexts: ReadonlySet<string> = new Set(['arguments', 'input'])

/**
 * An event with marks in place of secrets; the same one where there are none. Deltas and progress are left alone: they
 * are pieces of streams, in which a secret may be cut in two, so their streams are redacted where they come from.
 */
export function redactEvent(event: ConversationEvent, redact: RedactText): ConversationEvent {
  if (event.type === 'item.delta' || event.type === 'item.progress') return event
  if (event.type !== 'context.set') return redactStrings(event, redact)
  return { ...event, ...redactStrings(without(event, contextFiles), redact) }
}

function without<Value extends object>(value: Value, keys: ReadonlySet<string>): Partial<Value> {
  const entries = Object.entries(value).filter(([key]) => !keys.has(key))
  return Object.fromEntries(entries) as Partial<Value> // narrowed: some of its own entries
}

/** Every string in it but the exempt ones; the same value where nothing changes. */
export function redactStrings<Value>(value: Value, redact: RedactText): Value {
  return redactUnder('', value, { redact, exempt }) as Value // narrowed: only texts change, and stay texts
}

interface Way {
  readonly redact: RedactText
  readonly exempt: ReadonlySet<string>
}

/** Names that others chose say nothing of what is under them. */
const none: ReadonlySet<string> = new Set()

function redactUnder(key: string, value: unknown, way: Way): unknown {
  if (typeof value === 'string') return jsonTexts.has(key) ? redactJson(value, way.redact) : way.redact(value)
  if (Array.isArray(value)) return redactList(value, key, way)
  if (typeof value !== 'object' || value === null) return value
  return redactObject(value, key === 'answers' ? { ...way, exempt: none } : way)
}

function redactList(list: readonly unknown[], key: string, way: Way): unknown {
  const redacted = list.map((one: unknown) => redactUnder(key, one, way))
  return redacted.every((one, index) => one === list[index]) ? list : redacted
}

function redactObject(object: object, way: Way): object {
  let changed: Record<string, unknown> | null = null
  for (const [key, value] of Object.entries(object)) {
    if (way.exempt.has(key)) continue
    const redacted = redactUnder(key, value, way)
    if (redacted === value) continue
    changed ??= { ...object }
    changed[key] = redacted
  }
  return changed ?? object
}

/** Where a mark would take half of an escape with it, the texts in the JSON are redacted one by one. */
export function redactJson(text: string, redact: RedactText): string {
  const redacted = redact(text)
  if (redacted === text || parsed(redacted) !== undefined) return redacted
  const value = parsed(text)
  return value === undefined ? redacted : JSON.stringify(redactUnder('', value, { redact, exempt: none }))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
