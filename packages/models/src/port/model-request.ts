/** A JSON Schema whose root is an object, as tools declare their input. */
export interface JsonSchemaObject {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchemaObject
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}
export interface ImagePart {
  readonly type: 'image'
  readonly mediaType: string
  readonly base64: string
}
export type UserPart = TextPart | ImagePart

export interface ModelCall {
  readonly callId: string
  readonly name: string
  /** As the model wrote it: usually JSON, not promised to be. */
  readonly arguments: string
}

export interface UserEntry {
  readonly kind: 'user'
  readonly content: readonly UserPart[]
}

/** `parts` goes back verbatim to the adapter that made it; any other adapter renders `text` and `calls`. */
export interface ResponseEntry {
  readonly kind: 'response'
  readonly adapter: string
  readonly parts: readonly unknown[]
  readonly text: string
  readonly calls: readonly ModelCall[]
}

export interface ResultEntry {
  readonly kind: 'result'
  readonly callId: string
  readonly text: string
  readonly isError: boolean
}

/** The conversation as the model sees it. Entries are immutable: their serialised form is cached by identity. */
export type ModelEntry = UserEntry | ResponseEntry | ResultEntry

export interface ModelRequest {
  readonly model: string
  readonly effort?: string
  readonly instructions: string
  readonly tools: readonly ToolSpec[]
  readonly entries: readonly ModelEntry[]
  /** JSON Schema that the final message must satisfy. */
  readonly outputSchema?: Readonly<Record<string, unknown>>
  /** Stable for a conversation; lets the provider route to the machine that holds the cached prefix. */
  readonly cacheKey: string
}
