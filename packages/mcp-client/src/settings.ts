import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { Config, McpServerConfig } from '@parley/config'
import type { Confinement } from '@parley/policy'
export type McpLaunch =
  | {
      readonly kind: 'stdio'
      readonly argv: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string
      /** A project configures it: what it is kept to. */
      readonly confinement?: Confinement
    }
  | {
      readonly kind: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** Variable with the bearer token. */
      readonly tokenVariable: string | null
    }
  /** The section cannot be used as it is. */
  | { readonly kind: 'none'; readonly problem: string }

/** One `[mcp_servers.X]`, as a conversation in a certain folder uses it. */
export interface McpSettings {
  readonly name: string
  readonly enabled: boolean
  readonly launch: McpLaunch
  readonly startupTimeoutMs: number
  readonly toolTimeoutMs: number
  /** Null for all. */
  readonly enabledTools: readonly string[] | null
  readonly disabledTools: readonly string[]
}

const defaultStartupSec = 10
const defaultToolSec = 60

/** `confined`: those that a project configures, by name; their folder is its root. */
export function mcpSettings(
  { mcp_servers: sections = {} }: Config,
  cwd: string,
  confined: ReadonlyMap<string, Confinement> = new Map(),
): readonly McpSettings[] {
  return Object.entries(sections)
    .map(([name, section]) => settingsOf(name, section, { cwd, confinement: confined.get(name) ?? null }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

interface Where {
  readonly cwd: string
  readonly confinement: Confinement | null
}

function settingsOf(name: string, section: McpServerConfig, where: Where): McpSettings {
  return {
    name,
    enabled: section.enabled ?? true,
    launch: launchOf(section, where),
    startupTimeoutMs: 1000 * (section.startup_timeout_sec ?? defaultStartupSec),
    toolTimeoutMs: 1000 * (section.tool_timeout_sec ?? defaultToolSec),
    enabledTools: section.enabled_tools ?? null,
    disabledTools: section.disabled_tools ?? [],
  }
}

function launchOf(section: McpServerConfig, { cwd: here, confinement }: Where): McpLaunch {
  const { command, args = [], env = {}, cwd = '.', url, http_headers: headers = {} } = section
  if ((command === undefined) === (url === undefined))
    return { kind: 'none', problem: 'it needs exactly one of command and url in its section of config.toml' }
  if (command !== undefined) {
    const launch = { kind: 'stdio', argv: [command, ...args], env } as const
    if (confinement === null) return { ...launch, cwd: resolve(here, cwd) }
    return { ...launch, cwd: resolve(confinement.root, cwd), confinement }
  }
  return { kind: 'http', url: url ?? '', headers, tokenVariable: section.bearer_token_env_var ?? null }
}

/** Equal for what would be the same process or endpoint; conversations with equal ones share it. */
export function identityOf(settings: McpSettings): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex')
}

export function isOffered({ enabledTools, disabledTools }: McpSettings, tool: string): boolean {
  return (enabledTools === null || enabledTools.includes(tool)) && !disabledTools.includes(tool)
}
