import { isTable } from './unknown-keys.ts'

/** What Codex calls them → what they are called here. */
const otherNames: Readonly<Record<string, string>> = { http_headers: 'headers', env_http_headers: 'env_headers' }

/** Keys of Codex that change nothing here, as dotted paths; what is below one of them counts as well. */
const withoutEffect = [
  'analytics',
  'approvals_reviewer',
  'chatgpt_base_url',
  'disable_response_storage',
  'features',
  'hide_agent_reasoning',
  'history',
  'model_reasoning_summary',
  'model_supports_reasoning_summaries',
  'model_verbosity',
  'notify',
  'otel',
  'preferred_auth_method',
  'project_doc_max_bytes',
  'projects',
  'sandbox_workspace_write.exclude_slash_tmp',
  'sandbox_workspace_write.exclude_tmpdir_env_var',
  'service_tier',
  'show_raw_agent_reasoning',
  'tools',
  'tui',
  'web_search',
]

/** A provider of a Codex configuration, under the names that its keys have here. */
export function withOwnNames(raw: Record<string, unknown>): Record<string, unknown> {
  const providers = raw['model_providers']
  if (!isTable(providers)) return raw
  const renamed = Object.entries(providers).map(([id, provider]) => [
    id,
    isTable(provider) ? rename(provider) : provider,
  ])
  return { ...raw, model_providers: Object.fromEntries(renamed) }
}

function rename(provider: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(provider).map(([key, value]) => [otherNames[key] ?? key, value]))
}

/** Whether someone who comes from Codex meant it rather than mistyped it. */
export function isCodexKey(path: readonly string[]): boolean {
  return path.some((_, index) => withoutEffect.includes(path.slice(0, index + 1).join('.')))
}
