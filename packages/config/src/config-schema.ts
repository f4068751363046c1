import * as z from 'zod'

/** A name of at least one visible character. */
const named = z.string().regex(/\S/, 'must not be empty')
const approvalPolicy = z.enum(['untrusted', 'on-failure', 'on-request', 'never'])
const sandboxMode = z.enum(['read-only', 'workspace-write', 'danger-full-access'])
const stringMap = z.record(z.string(), z.string())

const providerConfig = z.object({
  name: z.string().optional(),
  base_url: z.string().optional(),
  env_key: z.string().optional(),
  wire_api: z.enum(['responses', 'chat', 'recorded']).optional(),
  recording: z.string().optional(),
  headers: stringMap.optional(),
  env_headers: stringMap.optional(),
  query_params: stringMap.optional(),
  request_max_retries: z.int().min(0).max(100).optional(),
  stream_max_retries: z.int().min(0).max(100).optional(),
  stream_idle_timeout_ms: z.int().min(1).optional(),
  context_window: z.int().min(1).optional(),
})

const mcpServerConfig = z.object({
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: stringMap.optional(),
  cwd: z.string().min(1).optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  bearer_token_env_var: z.string().min(1).optional(),
  http_headers: stringMap.optional(),
  enabled: z.boolean().optional(),
  startup_timeout_sec: z.number().positive().max(3600).optional(),
  tool_timeout_sec: z.number().positive().max(86_400).optional(),
  enabled_tools: z.array(z.string()).optional(),
  disabled_tools: z.array(z.string()).optional(),
})

/** Another machine where commands run, reached through its exec-server. `url` may stand in another layer. */
const environmentConfig = z.object({
  url: z.url({ protocol: /^wss?$/, error: 'must be ws://host:port or wss://host' }).optional(),
  token_file: z.string().min(1).optional(),
  token_env: z.string().min(1).optional(),
  cwd: z.string().regex(/^\//, 'must be an absolute path').optional(),
})

const choices = {
  model: named.optional(),
  model_provider: named.optional(),
  model_reasoning_effort: named.optional(),
  approval_policy: approvalPolicy.optional(),
  sandbox_mode: sandboxMode.optional(),
  environment: named.optional(),
}

const secretPlace = z.string().regex(/^(?:~\/.|\/.)/, 'must be an absolute path or begin with ~/')

/** Schema of `config.toml`. Keys have the names that Codex gives them where both have the key. */
export const configSchema = z.object({
  ...choices,
  profile: named.optional(),
  openai_base_url: z.string().optional(),
  model_context_window: z.int().min(1).optional(),
  model_providers: z.record(z.string(), providerConfig).optional(),
  environments: z.record(z.string(), environmentConfig).optional(),
  profiles: z.record(z.string(), z.object(choices)).optional(),
  sandbox_workspace_write: z
    .object({
      writable_roots: z.array(z.string()).optional(),
      network_access: z.boolean().optional(),
      allow_unix_sockets: z.boolean().optional(),
    })
    .optional(),
  secrets: z.object({ paths: z.array(secretPlace).max(1000).optional() }).optional(),
  mcp_servers: z.record(z.string().regex(/^[^/]+$/, 'a name has no slash'), mcpServerConfig).optional(),
  shell_environment: z
    .object({
      include: z.array(z.string()).optional(),
      exclude: z.array(z.string()).optional(),
      set: stringMap.optional(),
    })
    .optional(),
})

export type Config = z.infer<typeof configSchema>
export type McpServerConfig = z.infer<typeof mcpServerConfig>
export type EnvironmentKeys = z.infer<typeof environmentConfig>
/** Keys of an environment in all layers together. */
export type EnvironmentSettings = EnvironmentKeys & { readonly url: string }
export type ProviderSettings = z.infer<typeof providerConfig>

/** Error of a configuration that cannot be used. Its message says where the fault is, what it is, and what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** Place of the fault: file and line, or key. */
  readonly where: string
  /** Message without the place. */
  readonly what: string

  constructor(where: string, what: string) {
    super(`${where}: ${what}`)
    this.where = where
    this.what = what
  }
}
