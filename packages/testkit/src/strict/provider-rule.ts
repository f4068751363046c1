/** Rule by which a provider answers a request with 400. */
export interface ProviderRule {
  /** Address of the documentation or of the thread that has the refusal. */
  readonly source: string
  /** Date of the source. */
  readonly date: string
  /** Refusal as it was published, word for word. */
  readonly refusal: string
  /** Returns what the provider says of a request; null for one that this rule lets pass. */
  readonly refuse: (request: ReadRequest) => string | null
}

/** Request as a rule reads it. */
interface ReadRequest {
  /** Body as it came. */
  readonly text: string
  readonly body: Fields
  /** Model of the address, which the Gemini API names there. */
  readonly model: string
}

/** Fields of a JSON object, which may have any type. */
export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {} // narrowed: an object that is no list
}

/** Returns the objects of a list; none for another value. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Place in a body, and the object there. */
export interface Placed {
  readonly at: string
  readonly value: Fields
}

/** Returns the first refusal of objects, in their order. */
export function firstRefusal(placed: readonly Placed[], refuse: (one: Placed) => string | null): string | null {
  for (const one of placed) {
    const refusal = refuse(one)
    if (refusal !== null) return refusal
  }
  return null
}

/** Returns the place of the first half of a surrogate pair in JSON text; -1 for none. */
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
