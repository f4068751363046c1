import { isRecord, wellFormedJson } from '@parley/text'
import type { ModelRequest, ToolSpec } from '../../port/model-client.ts'
import { anySchema } from '../../port/tool-rules.ts'
import type { HttpWire, ProviderError, WriteRequest } from '../../port/wire.ts'
import { openaiApi, readErrorBody } from '../openai-api.ts'
import { bodyOf } from '../write-entries.ts'
import { createMessagesReader } from './read-response.ts'
import { createMessageWriter, writeInstructions } from './write-messages.ts'

/** Wire of the Messages API of Anthropic. */
export const anthropicWire: HttpWire = {
  version: 'anthropic/1',
  // "input_schema does not support oneOf, allOf, or anyOf at the top level", "Property keys should match pattern …".
  toolRules: { ...anySchema, notAtTop: ['oneOf', 'anyOf', 'allOf'], plainNames: true },
  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key === undefined ? {} : { 'x-api-key': key }) }),
  requestPath: () => '/messages',
  modelsPath: '/models?limit=1000',
  readModels: openaiApi.readModels,
  readError,
  createWriter: createMessagesWriter,
  createReader: createMessagesReader,
}

/** Reads an error; of a missing thing the API says only "model: NAME". */
function readError(body: string): ProviderError {
  const error = readErrorBody(body)
  return error.kind === 'not_found_error' && /^model:/.test(error.message)
    ? { ...error, code: 'model_not_found' }
    : error
}

function createMessagesWriter(adapter: string): WriteRequest {
  const writeMessages = createMessageWriter(adapter)
  return (request) => {
    const head = wellFormedJson(settingsOf(request)).slice(0, -1)
    const tools =
      request.tools.length === 0
        ? ''
        : `,"tools":${wellFormedJson(request.tools.map(toolOf))},"tool_choice":{"type":"auto"}`
    const instructions = writeInstructions(request.instructions)
    const system = instructions === '' ? '' : `,"system":${instructions}`
    return bodyOf(`${head}${tools}${system},"messages":`, writeMessages(request.entries))
  }
}

function toolOf({ name, description, parameters }: ToolSpec): object {
  return { name, description, input_schema: parameters }
}

/** Limits and abilities of a model that a request must respect. */
interface ModelTraits {
  /** Highest `max_tokens` that the model takes; the API requires the field. */
  readonly maxOutputTokens: number
  /** `adaptive`: the model decides how long it thinks, within an effort; `budget`: thinking has a number of tokens. */
  readonly thinking: 'adaptive' | 'budget' | 'none'
  /** True if answers can be held to a JSON Schema. */
  readonly schemas: boolean
}

/** Traits by name, the first that fits (of `@ai-sdk/anthropic` in August 2026). A later Claude counts as the newest. */
const traits: readonly (readonly [RegExp, ModelTraits])[] = [
  [/claude-(?:opus-4-[6-8]|sonnet-4-6)/, { maxOutputTokens: 128_000, thinking: 'adaptive', schemas: true }],
  [/claude-(?:opus|sonnet|haiku)-4-5/, { maxOutputTokens: 64_000, thinking: 'budget', schemas: true }],
  [/claude-opus-4-1/, { maxOutputTokens: 32_000, thinking: 'budget', schemas: true }],
  [/claude-sonnet-4-/, { maxOutputTokens: 64_000, thinking: 'budget', schemas: false }],
  [/claude-opus-4-/, { maxOutputTokens: 32_000, thinking: 'budget', schemas: false }],
  [/claude-(?:instant|v?2(?=$|[-.:])|3(?=$|[-.]))/, { maxOutputTokens: 4_096, thinking: 'none', schemas: false }],
  [/claude-/, { maxOutputTokens: 128_000, thinking: 'adaptive', schemas: true }],
]

/** Assumption for models of other makers behind this API. */
const otherTraits: ModelTraits = { maxOutputTokens: 16_384, thinking: 'none', schemas: false }

function traitsOf(model: string): ModelTraits {
  return traits.find(([name]) => name.test(model))?.[1] ?? otherTraits
}

function settingsOf({ model, effort, outputSchema, maxOutputTokens: wanted }: ModelRequest): object {
  const { maxOutputTokens: most, thinking, schemas } = traitsOf(model)
  const maxOutputTokens = wanted ?? most
  const format = outputSchema === undefined || !schemas ? undefined : formatOf(outputSchema)
  const isThinking = effort !== 'none'
  const level = thinking === 'adaptive' && isThinking && effort !== undefined ? effortOf(effort) : undefined
  const output = { ...(level === undefined ? {} : { effort: level }), ...(format === undefined ? {} : { format }) }
  return {
    model,
    max_tokens: maxOutputTokens,
    stream: true,
    ...thinkingOf(thinking, effort, maxOutputTokens),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
  }
}

/** Returns the setting of thinking: newer models show a summary, older ones think only with an effort. */
function thinkingOf(kind: 'adaptive' | 'budget' | 'none', effort: string | undefined, maxOutputTokens: number): object {
  if (kind === 'none') return {}
  if (effort === 'none') return { thinking: { type: 'disabled' } }
  if (kind === 'adaptive') return { thinking: { type: 'adaptive', display: 'summarized' } }
  const share = effort === undefined ? undefined : budgetShares[effort]
  if (share === undefined || maxOutputTokens <= leastBudget) return {}
  return { thinking: { type: 'enabled', budget_tokens: Math.max(leastBudget, Math.floor(maxOutputTokens * share)) } }
}

/** Least tokens of thinking that the API takes; the output needs more tokens than that. */
const leastBudget = 1_024

/** Share of the output that thinking may use, by effort. */
const budgetShares: Readonly<Record<string, number>> = { minimal: 0.02, low: 0.1, medium: 0.3, high: 0.6, xhigh: 0.9 }

function effortOf(effort: string): string {
  return effort === 'minimal' ? 'low' : effort
}

function formatOf(schema: Readonly<Record<string, unknown>>): object {
  return { type: 'json_schema', schema: accepted(schema) }
}

/** Keywords of JSON Schema that the API rejects; the answer is still held to them here. */
const rejected: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'not', '$schema'],
])

/** Returns a schema without the keywords that the API rejects; names of properties are kept, whatever they are. */
function accepted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(accepted)
  if (!isRecord(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (rejected.has(keyword)) return []
      if (!byName.has(keyword) || !isRecord(value)) return [[keyword, keptWhole.has(keyword) ? value : accepted(value)]]
      return [[keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, accepted(inner)]))]]
    }),
  )
}

/** Keywords with a schema for each name. */
const byName: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
/** Keywords with data as value, not a schema. */
const keptWhole: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required'])
