import { approvalPolicies, namePattern, sandboxModes } from '@parley/protocol'
import { type ConfigKey, configKeys } from '@parley/protocol/config-keys'
import { isLoopbackHost } from '@parley/text'
import * as z from 'zod'
import { hooksConfig } from './hook-config.ts'

// Keys of the same form share a schema: to create one takes as long as a hundred checks, and each start creates them.
const plainText = z.string().optional()
const text = z.string().regex(/\S/, 'must not be empty').optional()
const texts = z.array(z.string()).optional()
const stringMap = z.record(z.string(), z.string()).optional()
const flag = z.boolean().optional()
const atLeastOne = z.int().min(1).optional()

/** Tells whether the way to an address is protected against readers: https, or http on this machine. */
export function isProtectedAddress(text: string): boolean {
  const { protocol, hostname = '' } = URL.parse(text) ?? {}
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

/** Returns the schema of a login by OAuth. Tokens travel without TLS only on this machine. */
function oauthConfig() {
  const issuer = z.url({ error: 'must be an https address, or an http address of this machine' })
  return z.object({
    issuer: issuer
      .refine(isProtectedAddress, 'must be an https address, or an http address of this machine')
      .optional(),
    client_id: text,
    scopes: texts,
  })
}

/** Returns the schema of a provider. This and the next ones are made only for a configuration with such a section. */
function providerConfig() {
  const retries = z.int().min(0).max(100).optional()
  return z.object({
    name: plainText,
    base_url: plainText,
    env_key: plainText,
    wire_api: z.enum(['responses', 'chat', 'anthropic', 'gemini', 'recorded']).optional(),
    recording: plainText,
    package: text,
    factory: text,
    headers: stringMap,
    env_headers: stringMap,
    query_params: stringMap,
    request_max_retries: retries,
    stream_max_retries: retries,
    stream_idle_timeout_ms: atLeastOne,
    connect_timeout_ms: atLeastOne,
    request_timeout_ms: atLeastOne,
    oauth: oauthConfig().optional(),
    context_window: atLeastOne,
    output_limit: atLeastOne,
  })
}

/** Returns the schema of the user's facts about a model. */
function modelConfig() {
  const dollars = z.number().min(0).optional()
  const price = z.object({ input: dollars, cached_input: dollars, cache_write: dollars, output: dollars })
  return z.object({
    context_window: atLeastOne,
    output_limit: atLeastOne,
    price: price.optional(),
    images: flag,
    reasoning: flag,
  })
}

function mcpServerConfig() {
  return z.object({
    command: text,
    args: texts,
    env: stringMap,
    env_vars: texts,
    cwd: text,
    url: z.url({ protocol: /^https?$/ }).optional(),
    bearer_token_env_var: text,
    http_headers: stringMap,
    enabled: flag,
    startup_timeout_sec: z.number().positive().max(3600).optional(),
    tool_timeout_sec: z.number().positive().max(86_400).optional(),
    enabled_tools: texts,
    disabled_tools: texts,
  })
}

/** NAME, or USER/NAME on a server with users, of a machine that connects its exec-server to this server. */
const connectedForm = new RegExp(`^(?:${namePattern}/)?${namePattern}$`)

/** Returns the schema of another machine where commands run, behind its exec-server. `url` may stand in another layer. */
function environmentConfig() {
  return z.object({
    url: z.url({ protocol: /^wss?$/, error: 'must be ws://host:port or wss://host' }).optional(),
    connected: z.string().regex(connectedForm, 'must be NAME or USER/NAME').optional(),
    token_file: text,
    token_env: text,
    cwd: z.string().regex(/^\//, 'must be an absolute path').optional(),
  })
}

const choices = {
  model: text,
  model_provider: text,
  model_reasoning_effort: text,
  approval_policy: z.enum(approvalPolicies).optional(),
  sandbox_mode: z.enum(sandboxModes).optional(),
  environment: text,
}

/** Program of the user with its arguments, without a shell. */
const programWords = () => z.array(z.string()).min(1).optional()

/** Time as a number with its unit. */
const durationForm = /^\d{1,4}[smh]$/

/** Keys of `config.toml`. Keys that Codex has, too, keep their names. */
const configShape = {
  ...choices,
  profile: text,
  openai_base_url: plainText,
  model_context_window: atLeastOne,
  model_auto_compact_token_limit: atLeastOne,
  model_auto_compact_percent: z.int().min(1).max(100).optional(),
  compact_model: text,
  compact_prompt: text,
  get fallback_models() {
    const name = z.string().regex(/\S/, 'must not be empty')
    return z
      .array(z.union([name, z.object({ model: name, provider: text })]))
      .max(20)
      .optional()
  },
  model_max_output_tokens: atLeastOne,
  /** Period of retries for an unreachable provider. */
  get network_patience() {
    return z.union([z.literal(0), z.string().regex(durationForm, 'must be a time such as 90s, 10m or 1h')]).optional()
  },
  /** Place of the credentials that `parley login` keeps. */
  get cli_auth_credentials_store() {
    return z.enum(['auto', 'file', 'keyring']).optional()
  },
  get limits() {
    const dollars = z.number().positive().optional()
    return z.object({ max_turns: atLeastOne, max_tokens: atLeastOne, max_cost: dollars }).optional()
  },
  get models() {
    return z.record(z.string(), modelConfig()).optional()
  },
  get model_providers() {
    return z.record(z.string(), providerConfig()).optional()
  },
  get network() {
    const proxy = z.url({ protocol: /^https?$/, error: 'must be http://host:port or https://host:port' }).optional()
    const file = z
      .string()
      .regex(/^(?:~\/.|\/.)/, 'must be an absolute path or begin with ~/')
      .optional()
    return z.object({ proxy, no_proxy: texts, ca_file: file, system_ca: flag }).optional()
  },
  get environments() {
    return z.record(z.string(), environmentConfig()).optional()
  },
  get profiles() {
    return z.record(z.string(), z.object(choices)).optional()
  },
  get sandbox_workspace_write() {
    return z.object({ writable_roots: texts, network_access: flag, allow_unix_sockets: flag }).optional()
  },
  get notify() {
    return programWords()
  },
  get tui() {
    const way = z.enum(['auto', 'bell', 'osc9', 'osc777', 'osc99', 'off'])
    const theme = z.enum(['auto', 'light', 'dark', 'ansi', 'high-contrast']).optional()
    const notifications = z.union([z.boolean(), way]).optional()
    const ambiguous = z.union([z.literal(1), z.literal(2)]).optional()
    const looks = { theme, plain: flag, reduced_motion: flag, ambiguous_width: ambiguous }
    return z.object({ notifications, status_line: programWords(), ...looks }).optional()
  },
  get secrets() {
    const place = z.string().regex(/^(?:~\/.|\/.)/, 'must be an absolute path or begin with ~/')
    return z.object({ paths: z.array(place).max(1000).optional() }).optional()
  },
  get mcp_servers() {
    return z.record(z.string().regex(/^[^/]+$/, 'a name has no slash'), mcpServerConfig()).optional()
  },
  /** File of the users of servers that listen; see docs/team-server.md. */
  get users_file() {
    return z.string().regex(/^\//, 'must be an absolute path').optional()
  },
  get store() {
    const file = z.string().regex(/^\//, 'must be an absolute path').optional()
    const address = z
      .string()
      .regex(/^[^@]*$/, 'names no user and no password: set user and password_file of [store]')
      .regex(/^(?:nats|tls):\/\/[^,/\s]+$/, 'must be nats://HOST:PORT or tls://HOST:PORT')
    return z
      .object({
        servers: z.array(address).min(1),
        credentials_file: file,
        user: text,
        password_file: file,
        ca_file: file,
        cert_file: file,
        key_file: file,
        replicas: z.literal([1, 3, 5], 'must be 1, 3 or 5, and at most the number of servers of the store').optional(),
      })
      .optional()
  },
  /** Rule for starting an editor's tool servers with `parley acp`. */
  get acp() {
    return z.object({ editor_servers: z.enum(['sandboxed', 'own']).optional() }).optional()
  },
  get hooks() {
    return hooksConfig().optional()
  },
  get shell_environment() {
    return z.object({ include: texts, exclude: texts, set: stringMap }).optional()
  },
} satisfies Record<ConfigKey, unknown>

export const configSchema = z.object(configShape)

/** Returns the part of the schema for the keys that these values have, in the schema's order. */
export function schemaOfKeys(values: object) {
  const keys = configKeys.filter((key) => Object.hasOwn(values, key))
  const shape: Partial<typeof configShape> = Object.fromEntries(keys.map((key) => [key, Reflect.get(configShape, key)]))
  return z.object(shape as typeof configShape) // narrowed: the other keys are optional and absent
}

export type Config = z.infer<typeof configSchema>
export type ModelSettings = z.infer<ReturnType<typeof modelConfig>>
export type McpServerConfig = z.infer<ReturnType<typeof mcpServerConfig>>
export type EnvironmentKeys = z.infer<ReturnType<typeof environmentConfig>>
/** Keys of an environment in all layers together. */
export type EnvironmentSettings =
  | (EnvironmentKeys & { readonly url: string })
  | (Omit<EnvironmentKeys, 'url'> & { readonly url?: undefined; readonly connected: string })
export type ProviderSettings = z.infer<ReturnType<typeof providerConfig>>

/** Error of an unusable configuration. Its message gives the place, the fault and the remedy. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** Place of the fault: file and line, or key. */
  readonly where: string
  /** Message without the place. */
  readonly what: string

  constructor(where: string, what: string, options?: ErrorOptions) {
    super(`${where}: ${what}`, options)
    this.where = where
    this.what = what
  }
}
