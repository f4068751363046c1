/** Reason for a provider to answer a request with status 400. */
export interface ProviderRule {
  /** Address of the documentation or of the thread that has the refusal. */
  readonly source: string
  /** Date of the source. */
  readonly date: string
  /** Refusal as it was published, word for word. */
  readonly refusal: string
  /** Returns the provider's error for a request; null for a request that this rule accepts. */
  readonly refuse: (request: ReadRequest) => string | null
}

/** Request in the form that a rule reads. */
interface ReadRequest {
  /** Body as received. */
  readonly text: string
  readonly body: JsonFields
  /** Model of the address, which the Gemini API names there. */
  readonly model: string
}

/** Fields of a JSON object, which may have any type. */
export type JsonFields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : {} // narrowed: an object that is no list
}

/** Returns the objects of a list; an empty list for another value. */
export function listOf(value: unknown): readonly JsonFields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Object in a body, with its path there. */
export interface ObjectAt {
  readonly at: string
  readonly value: JsonFields
}

/** Returns the first refusal of objects, in their order. */
export function firstRefusal(placed: readonly ObjectAt[], refuse: (one: ObjectAt) => string | null): string | null {
  for (const one of placed) {
    const refusal = refuse(one)
    if (refusal !== null) return refusal
  }
  return null
}

/** Returns the index of the first unpaired surrogate in JSON text; -1 for well-formed text. */
export function halfAt(json: string): number {
  for (const { 0: found, index } of json.matchAll(escapes)) if (/^\\u[dD][89a-fA-F]..$/.test(found)) return index
  return -1
}

const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|[\s\S])/g

/** Tests if an image in base64 has the beginning and the end of its kind. */
export function isImage(base64: string, mediaType: string): boolean {
  const bytes = Buffer.from(base64, 'base64').toString('latin1')
  return images[mediaType]?.test(bytes) ?? false
}

const images: Readonly<Record<string, RegExp>> = {
  'image/png': /^\x89PNG\r\n\x1a\n[\s\S]*IEND\xae\x42\x60\x82/,
  'image/jpeg': /^\xff\xd8\xff[\s\S]*\xff\xd9/,
  'image/gif': /^GIF8[79]a[\s\S]*;/,
  'image/webp': /^RIFF[\s\S]{4}WEBPVP8/,
}
