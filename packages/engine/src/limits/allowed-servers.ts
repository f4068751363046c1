import type { Config } from '@parley/config'
import { type McpSettings, mcpSettings } from '@parley/mcp-client'
import { editorServerPolicy } from '@parley/policy'
import type { ConversationId, SandboxMode } from '@parley/protocol'
import type { EditorServer } from '../ports/editor.ts'

/** Server of an editor that its user lets start. */
export interface AllowedServer extends EditorServer {
  /** Folder that it is started in. */
  readonly folder: string
  /** Device and inode that the folder must have at each start; null for a server that runs as one of the user's own. */
  readonly confinedTo: { readonly identity: string | null; readonly mayRunUnsandboxed: boolean } | null
}

/** Servers of editors that may run, by conversation. Equal lists are the same object, so that a change can be noticed. */
export interface AllowedServers {
  of(conversationId: ConversationId): readonly AllowedServer[]
  add(conversationId: ConversationId, server: AllowedServer): void
  remove(conversationId: ConversationId): void
}

const none: readonly AllowedServer[] = []

export function createAllowedServers(): AllowedServers {
  const known = new Map<ConversationId, readonly AllowedServer[]>()
  const of = (conversationId: ConversationId) => known.get(conversationId) ?? none
  return {
    of,
    add(conversationId, server) {
      const others = of(conversationId).filter(({ name }) => name !== server.name)
      known.set(conversationId, [...others, server])
    },
    remove: (conversationId) => void known.delete(conversationId),
  }
}

/** Returns the settings of an editor's servers, without names of configured servers. `own` excludes the project. */
export function allowedServerSettings(
  servers: readonly AllowedServer[],
  configured: readonly McpSettings[],
  { own, sandbox }: { readonly own: Config; readonly sandbox: SandboxMode },
): readonly McpSettings[] {
  const names = new Set(configured.map(({ name }) => name))
  return servers.flatMap(({ name, command, args, env, folder, confinedTo }) => {
    if (names.has(name)) return []
    const section = { [name]: { command, args: [...args], env: { ...env } } }
    const policy = confinedTo === null ? null : editorServerPolicy({ root: folder, ...confinedTo }, own, sandbox)
    return mcpSettings({ mcp_servers: section }, folder, new Map(policy === null ? [] : [[name, policy]]))
  })
}
