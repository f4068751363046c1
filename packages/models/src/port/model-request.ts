/** JSON Schema whose root is an object, as tools declare their input. */
export interface JsonSchemaObject {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchemaObject
}

interface TextPart {
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
  /** Arguments as the model wrote them: usually JSON, but not always. */
  readonly arguments: string
}

interface UserEntry {
  readonly kind: 'user'
  readonly content: readonly UserPart[]
}

/** Response of a model. `parts` goes back unchanged to the adapter that made it; others use `text` and `calls`. */
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

/** Entry of the conversation as the model reads it. Immutable: its serialised form is cached by identity. */
export type ModelEntry = UserEntry | ResponseEntry | ResultEntry

export interface ModelRequest {
  readonly model: string
  readonly effort?: string
  readonly instructions: string
  readonly tools: readonly ToolSpec[]
  readonly entries: readonly ModelEntry[]
  /** JSON Schema that the final message must satisfy. */
  readonly outputSchema?: Readonly<Record<string, unknown>>
  /** Stable for a conversation: the provider can route to the machine that has the prefix in its cache. */
  readonly cacheKey: string
}
