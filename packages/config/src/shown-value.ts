/** Sections whose values are often secrets; people paste what `parley config` prints. */
const hidden =
  /^(?:mcp_servers\..+\.(?:env|http_headers)|model_providers\..+\.(?:headers|query_params)|shell_environment\.set)\./

/** A value of the configuration as people see it; `hide` puts marks in place of secrets within a text, such as a URL. */
export function shownValue(key: string, value: unknown, hide: (text: string) => string): unknown {
  return hidden.test(key) ? '(hidden)' : withoutSecrets(value, hide)
}

function withoutSecrets(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((part) => withoutSecrets(part, hide))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutSecrets(part, hide)]))
}
