import * as z from 'zod'

const effort = z.string().min(1)
const approvalPolicy = z.enum(['untrusted', 'on-failure', 'on-request', 'never'])
const sandboxMode = z.enum(['read-only', 'workspace-write', 'danger-full-access'])
const stringMap = z.record(z.string(), z.string())

export const providerConfig = z.object({
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

const choices = {
  model: z.string().min(1).optional(),
  model_provider: z.string().min(1).optional(),
  model_reasoning_effort: effort.optional(),
  approval_policy: approvalPolicy.optional(),
  sandbox_mode: sandboxMode.optional(),
}

/** `config.toml`. Key names follow the ones people know from Codex. */
export const configSchema = z.object({
  ...choices,
  profile: z.string().optional(),
  model_context_window: z.int().min(1).optional(),
  model_providers: z.record(z.string(), providerConfig).optional(),
  profiles: z.record(z.string(), z.object(choices)).optional(),
  sandbox_workspace_write: z.object({ writable_roots: z.array(z.string()).optional() }).optional(),
  shell_environment: z
    .object({
      include: z.array(z.string()).optional(),
      exclude: z.array(z.string()).optional(),
      set: stringMap.optional(),
    })
    .optional(),
})

export type Config = z.infer<typeof configSchema>
export type ProviderSettings = z.infer<typeof providerConfig>
