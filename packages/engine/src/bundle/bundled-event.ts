import { decodeLine, encodeLine, type LoggedEnvelope, type LogLine, textOf } from '@parley/journal'
import { type CallOutput, type ConversationEvent, redactionTable } from '@parley/protocol'
import { redactEvent } from '@parley/redaction'
import { isRecord } from '@parley/text'
import type { BundledFiles } from './bundled-files.ts'

type LoggedEvent = LoggedEnvelope['event']

export interface BundleRules {
  readonly redact: (text: string) => string
  /** Ids of the items that completed in the log. */
  readonly completed: ReadonlySet<string>
  readonly withoutOutputs: boolean
}

/**
 * Returns an event redacted again for a bundle: more secrets may be known by now. Empties pieces of an item that
 * completed, since a secret could lie across two; the item has the whole text.
 */
function bundledEvent(event: LoggedEvent, rules: BundleRules): LoggedEvent {
  const { redact, withoutOutputs } = rules
  const kept = withoutOutputs ? leaveOutputsOut(event) : event
  return redactEvent(withoutPieces(kept, rules) as ConversationEvent, redact) // narrowed: unknown types are redacted as well
}

/** Fields with pieces of an item, by type of event. */
const pieces: Readonly<Record<string, string>> = { 'item.delta': 'text', 'item.progress': 'tail' }

/** Returns true for the type of an event that has a piece of an item. */
export const isPiece = (type: string): boolean => Object.hasOwn(pieces, type)

function withoutPieces(event: LoggedEvent, { redact, completed }: BundleRules): LoggedEvent {
  const field = pieces[event.type]
  const text = field === undefined ? undefined : event[field]
  if (field === undefined || typeof text !== 'string') return event
  const isWhole = typeof event['itemId'] === 'string' && completed.has(event['itemId'])
  return { ...event, [field]: isWhole ? '' : redact(text) }
}

/** Replaces the output of calls, for the user and for the model, by its length. */
function leaveOutputsOut(event: LoggedEvent): LoggedEvent {
  if (isPiece(event.type)) return withoutPieces(event, { redact: () => '', completed: new Set(), withoutOutputs: true })
  const { item } = event
  return isRecord(item) ? { ...event, item: itemWithoutOutput(item) } : event
}

function itemWithoutOutput(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { output, modelText, hints: _hints, images, ...rest } = item
  return {
    ...rest,
    ...(isRecord(output) ? { output: emptied(output) } : {}),
    ...(typeof modelText === 'string' ? { modelText: leftOutText(Buffer.byteLength(modelText)) } : {}),
    // A picture that the model made is its answer.
    ...(images === undefined ? {} : { images: item['type'] === 'agentMessage' ? images : [] }),
  }
}

function emptied({ totalBytes }: Readonly<Record<string, unknown>>): CallOutput {
  const bytes = typeof totalBytes === 'number' ? totalBytes : 0
  return { head: leftOutText(bytes), tail: '', totalBytes: bytes, omittedBytes: bytes }
}

function leftOutText(bytes: number): string {
  return `[${bytes} bytes were left out of the bundle]`
}

/** Returns the values of an event's fields for side files, by the schema of its type. */
export function namedSideFiles(event: LoggedEvent | undefined): readonly string[] {
  if (event === undefined || !Object.hasOwn(redactionTable, event.type)) return []
  const { sideFiles = [] } = redactionTable[event.type as ConversationEvent['type']] // narrowed: it is a key of the table
  return sideFiles.flatMap((path) => textsAt(event, path.split('.')))
}

/** Returns the texts at a path; lists add nothing to it. */
function textsAt(value: unknown, [key, ...below]: readonly string[]): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((one: unknown) => textsAt(one, key === undefined ? [] : [key, ...below]))
  if (key === undefined) return typeof value === 'string' ? [value] : []
  return isRecord(value) ? textsAt(value[key], below) : []
}

/** Returns a line as the bundle has it, and notes its side files. */
export function bundledText(line: LogLine, rules: BundleRules, sideFiles: BundledFiles): string {
  const text = textOf(line)
  const logged = decodeLine(text)
  if (logged === null) return text
  const event = bundledEvent(logged.event, rules)
  const bundled = event === logged.event ? text : encodeLine({ ...logged, event }).text
  const referred = sideFiles.refer(bundled)
  const renamed = referred === bundled ? null : decodeLine(referred)
  return renamed === null ? bundled : encodeLine(renamed).text
}

/** Returns a line with the bytes that the bundle has for it. */
export function bundledLine(line: LogLine, rules: BundleRules, sideFiles: BundledFiles): LogLine {
  return { ...line, bytes: Buffer.from(bundledText(line, rules, sideFiles)), unchecked: false }
}
