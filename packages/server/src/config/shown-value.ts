/** Sections whose values are often secrets; people paste what `parley config` prints. */
const hidden =
  /^(?:mcp_servers\..+\.(?:env|http_headers)|model_providers\..+\.(?:headers|query_params)|shell_environment\.set)\./

/** A value of the configuration as people see it. */
export function shownValue(key: string, value: unknown): unknown {
  return hidden.test(key) ? '(hidden)' : value
}
