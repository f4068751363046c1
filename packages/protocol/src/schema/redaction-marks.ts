import * as z from 'zod'

/**
 * Reason why redaction leaves a field alone: an `id` or `hash` that may look like a secret, a `path` or `sideFile` to
 * be found by, a piece of a `stream` that is redacted earlier, a `word` of the program.
 */
export type LeftAloneAs = 'id' | 'hash' | 'path' | 'sideFile' | 'stream' | 'word'

/** Rules for a value without a form in the protocol: keys at any depth. */
export interface OpenForm {
  readonly leave: readonly string[]
  /** Keys of JSON texts, which must remain JSON. */
  readonly json: readonly string[]
}

type RedactionMark = { readonly leave: LeftAloneAs } | { readonly json: true } | { readonly open: OpenForm }

/**
 * Marks of the fields that redaction does not treat as plain text. Every text without a mark is redacted. `npm run
 * generate` writes the marks of all events into `redaction-table.ts`.
 */
export const redactionMarks = z.registry<RedactionMark>()

/** Marks a new schema as a field that redaction leaves alone. */
export function leftAlone<Schema extends z.ZodType>(schema: Schema, as: LeftAloneAs): Schema {
  redactionMarks.add(schema, { leave: as })
  return schema
}

export function jsonText<Schema extends z.ZodType>(schema: Schema): Schema {
  redactionMarks.add(schema, { json: true })
  return schema
}

/** Marks a new schema as a value of another form. */
export function openForm<Schema extends z.ZodType>(schema: Schema, open: OpenForm): Schema {
  redactionMarks.add(schema, { open })
  return schema
}

/** Rules for a provider's own parts: values that it needs back unchanged, and arguments of calls. */
export const providerForm: OpenForm = {
  leave: [
    ...['type', 'id', 'callId', 'call_id', 'data'],
    ...['encrypted_content', 'signature', 'thought_signature', 'thoughtSignature'],
  ],
  json: ['arguments', 'input'],
}
