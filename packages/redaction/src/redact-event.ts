import type { ConversationEvent } from '@parley/protocol'

type RedactText = (text: string) => string

/**
 * Keys whose values stay as they are: ids, hashes, names of side files, and values that providers want back unchanged.
 * They may look like secrets, and are useless with a mark in them.
 */
const exempt: ReadonlySet<string> = new Set([
  ...['type', 'id', 'itemId', 'turnId', 'approvalId', 'messageId', 'clientId', 'callId', 'call_id'],
  // A path with a mark in it names no folder.
  ...['cwd', 'workspace', 'writableRoots'],
  ...['payloadHash', 'contentHash', 'patchHash', 'before', 'after', 'file', 'mediaType'],
  ...['encrypted_content', 'signature', 'thought_signature', 'thoughtSignature', 'data'],
])

/** Keys that name side files in `context.set` only. */
const contextFiles: ReadonlySet<string> = new Set(['instructions', 'tools', 'sessionContext'])

/** Keys whose values are JSON text, which must remain JSON. */
const jsonTexts: ReadonlySet<string> = new Set(['arguments', 'input'])

/**
 * Returns an event with marks in place of secrets; the same event where there are none. Deltas and progress are pieces
 * of streams, in which a secret may be cut in two; they are redacted as streams, before they become events.
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

/** Redacts every string of a value except under exempt keys; returns the same value where nothing changes. */
export function redactStrings<Value>(value: Value, redact: RedactText): Value {
  return redactUnder('', value, { redact, exempt }) as Value // narrowed: only texts change, and stay texts
}

interface Rules {
  readonly redact: RedactText
  readonly exempt: ReadonlySet<string>
}

/** Exemption of values whose keys a user or a tool has named, such as `answers`. */
const none: ReadonlySet<string> = new Set()

function redactUnder(key: string, value: unknown, rules: Rules): unknown {
  if (typeof value === 'string') return jsonTexts.has(key) ? redactJson(value, rules.redact) : rules.redact(value)
  if (Array.isArray(value)) return redactList(value, key, rules)
  if (typeof value !== 'object' || value === null) return value
  return redactObject(value, key === 'answers' ? { ...rules, exempt: none } : rules)
}

function redactList(list: readonly unknown[], key: string, rules: Rules): unknown {
  const redacted = list.map((one: unknown) => redactUnder(key, one, rules))
  return redacted.every((one, index) => one === list[index]) ? list : redacted
}

function redactObject(object: object, rules: Rules): object {
  let changed: Record<string, unknown> | null = null
  for (const [key, value] of Object.entries(object)) {
    if (rules.exempt.has(key)) continue
    const redacted = redactUnder(key, value, rules)
    if (redacted === value) continue
    changed ??= { ...object }
    changed[key] = redacted
  }
  return changed ?? object
}

/** Redacts JSON text. Where a mark would replace half of an escape, the strings in it are redacted one by one instead. */
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
