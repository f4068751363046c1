import type { ConversationEvent } from '@parley/protocol'

type RedactText = (text: string) => string

/**
 * Ids, hashes, names of side files, and what providers want back as they gave it: letters that only look like keys, and
 * of no use with a mark in them.
 */
const exempt: ReadonlySet<string> = new Set([
  ...['type', 'id', 'itemId', 'turnId', 'approvalId', 'messageId', 'clientId', 'callId', 'call_id'],
  ...['payloadHash', 'contentHash', 'patchHash', 'before', 'after', 'file', 'mediaType'],
  ...['encrypted_content', 'signature', 'thought_signature', 'thoughtSignature', 'data'],
])

/** Side files, here and nowhere else. */
const contextFiles: ReadonlySet<string> = new Set(['instructions', 'tools', 'environment'])

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
  return redactUnder('', value, redact) as Value // narrowed: only texts change, and stay texts
}

function redactUnder(key: string, value: unknown, redact: RedactText): unknown {
  if (typeof value === 'string') return jsonTexts.has(key) ? redactJson(value, redact) : redact(value)
  if (Array.isArray(value)) return redactList(value, key, redact)
  return typeof value === 'object' && value !== null ? redactObject(value, redact) : value
}

function redactList(list: readonly unknown[], key: string, redact: RedactText): unknown {
  const redacted = list.map((one: unknown) => redactUnder(key, one, redact))
  return redacted.every((one, index) => one === list[index]) ? list : redacted
}

function redactObject(object: object, redact: RedactText): object {
  let changed: Record<string, unknown> | null = null
  for (const [key, value] of Object.entries(object)) {
    if (exempt.has(key)) continue
    const redacted = redactUnder(key, value, redact)
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
  return value === undefined ? redacted : JSON.stringify(redactStrings(value, redact))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
