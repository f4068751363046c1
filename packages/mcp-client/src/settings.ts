import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { Config, McpServerConfig } from '@parley/config'
import { mcpServerDefaults } from '@parley/config/defaults'
import type { ServerSandboxPolicy } from '@parley/policy'

export type McpLaunch =
  | {
      readonly kind: 'stdio'
      readonly argv: readonly string[]
      readonly env: Readonly<Record<string, string>>
      /** Names of variables of parley that it gets; an empty list for a server that a project configures. */
      readonly envVars: readonly string[]
      readonly cwd: string
      /** Sandbox of a server that a project configures. */
      readonly sandboxPolicy?: ServerSandboxPolicy
    }
  | {
      readonly kind: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** Environment variable that holds the bearer token. */
      readonly tokenVariable: string | null
    }
  /** Section that cannot be used. */
  | { readonly kind: 'none'; readonly problem: string }

/** Settings of one `[mcp_servers.X]`, as a conversation in a certain folder uses it. */
export interface McpSettings {
  readonly name: string
  readonly enabled: boolean
  readonly launch: McpLaunch
  readonly startupTimeoutMs: number
  readonly toolTimeoutMs: number
  /** Tools offered; null for all. */
  readonly enabledTools: readonly string[] | null
  readonly disabledTools: readonly string[]
}

/** Reads the settings of all servers. `sandboxed` has servers of a project, with its root as their folder. */
export function mcpSettings(
  { mcp_servers: sections = {} }: Config,
  cwd: string,
  sandboxed: ReadonlyMap<string, ServerSandboxPolicy> = new Map(),
): readonly McpSettings[] {
  return Object.entries(sections)
    .map(([name, section]) => settingsOf(name, section, { cwd, sandboxPolicy: sandboxed.get(name) ?? null }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

interface LaunchContext {
  readonly cwd: string
  readonly sandboxPolicy: ServerSandboxPolicy | null
}

function settingsOf(name: string, section: McpServerConfig, context: LaunchContext): McpSettings {
  return {
    name,
    enabled: section.enabled ?? true,
    launch: launchOf(section, context),
    startupTimeoutMs: 1000 * (section.startup_timeout_sec ?? mcpServerDefaults.startup_timeout_sec),
    toolTimeoutMs: 1000 * (section.tool_timeout_sec ?? mcpServerDefaults.tool_timeout_sec),
    enabledTools: section.enabled_tools ?? null,
    disabledTools: section.disabled_tools ?? [],
  }
}

/** Variables that tell programs how to reach the network, which may hold the password of a proxy. */
const networkVariables = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
]

function launchOf(section: McpServerConfig, { cwd: here, sandboxPolicy }: LaunchContext): McpLaunch {
  const { command, args = [], env = {}, env_vars: envVars = [], cwd = '.', url, http_headers: headers = {} } = section
  if ((command === undefined) === (url === undefined))
    return { kind: 'none', problem: 'it needs exactly one of command and url in its section of config.toml' }
  if (command !== undefined) {
    const launch = { kind: 'stdio', argv: [command, ...args], env } as const
    if (sandboxPolicy === null)
      return { ...launch, envVars: [...networkVariables, ...envVars], cwd: resolve(here, cwd) }
    return { ...launch, envVars: [], cwd: resolve(sandboxPolicy.root, cwd), sandboxPolicy }
  }
  return { kind: 'http', url: url ?? '', headers, tokenVariable: section.bearer_token_env_var ?? null }
}

/** Returns a key that is equal for the same process or endpoint, which conversations share. */
export function identityOf(settings: McpSettings): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex')
}

export function isOffered({ enabledTools, disabledTools }: McpSettings, tool: string): boolean {
  return (enabledTools === null || enabledTools.includes(tool)) && !disabledTools.includes(tool)
}

export interface NamedTool {
  readonly server: string
  readonly tool: string
}

/** Longest tool name that providers accept. */
const maxLength = 64
const hashLength = 8

/**
 * Returns the names of tools for the model, `mcp__SERVER__TOOL`, in the given order and without repetition. Equal or
 * too long names end with a hash of server and tool, so that each depends only on the set of tools.
 */
export function offeredNames(tools: readonly NamedTool[]): readonly string[] {
  const plain = tools.map((tool) => ({ tool, name: plainName(tool) }))
  const counts = Map.groupBy(plain, ({ name }) => name)
  const isKept = (name: string) => name.length <= maxLength && counts.get(name)?.length === 1
  const taken = new Set(counts.keys().filter(isKept))
  const hashed = new Map<NamedTool, string>()
  for (const { tool, name } of plain.toSorted((a, b) => (keyOf(a.tool) < keyOf(b.tool) ? -1 : 1))) {
    if (isKept(name)) continue
    hashed.set(tool, hashedName(name, tool, taken))
    taken.add(hashed.get(tool) ?? name)
  }
  return plain.map(({ tool, name }) => hashed.get(tool) ?? name)
}

function keyOf({ server, tool }: NamedTool): string {
  return JSON.stringify([server, tool])
}

function plainName({ server, tool }: NamedTool): string {
  return `mcp__${accepted(server)}__${accepted(tool)}`
}

function accepted(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9_-]/g, '_')
}

/** Returns the name with a hash, different from the taken names: a tool may have the name another one hashes to. */
function hashedName(name: string, tool: NamedTool, taken: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt += 1) {
    const text = attempt === 0 ? keyOf(tool) : `${keyOf(tool)} ${attempt}`
    const hash = createHash('sha256').update(text).digest('hex').slice(0, hashLength)
    const hashed = `${name.slice(0, maxLength - hashLength - 1)}_${hash}`
    if (!taken.has(hashed)) return hashed
  }
}
