import type { McpServers } from '@parley/mcp-client'
import type { CredentialStore } from '../credentials/credential-store.ts'
import type { ConnectedClients } from '../diagnostics.ts'
import type { LoginPorts, Logins } from './logins.ts'

type Parts = Pick<LoginPorts, 'home' | 'env' | 'redaction' | 'clock' | 'fetch'> & {
  readonly credentials: CredentialStore
}

interface LoginParts extends Pick<LoginPorts, 'report'> {
  readonly connectedClients: ConnectedClients
  readonly mcpServers: McpServers
}

/** Returns a function to the logins of this process, whose code is loaded with the first one. */
export function loginsWhenNeeded(
  { home, env, credentials: store, redaction, clock, fetch }: Parts,
  { connectedClients, mcpServers, report }: LoginParts,
): () => Promise<Logins> {
  const ways = { announce: connectedClients.announceLogin, restart: mcpServers.restart, report }
  const ports = { home, env, store, redaction, clock, fetch, ...ways }
  let opened: Promise<Logins> | null = null
  return () => {
    opened ??= import('./logins.ts').then(({ createLogins }) => createLogins(ports))
    return opened
  }
}
