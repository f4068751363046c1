import type { IncomingMessage } from 'node:http'
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'

export interface Refused {
  readonly status: 401 | 403 | 404
  readonly message: string
}

export interface Admission {
  /** The host that `--listen` names, besides the loopback ones. */
  readonly host: string
  readonly carriesToken: (authorization: string | undefined) => boolean
}

export const mcpPath = '/mcp'

/**
 * Why a request is turned away, or null. Host and Origin come first: a page in the user's browser, under whatever name it
 * got our address, learns nothing else.
 */
export function refusalOf({ url = '/', headers }: IncomingMessage, { host, carriesToken }: Admission): Refused | null {
  const names = host.includes(':') ? `[${host}]` : host
  const atHost = validateHostHeader(headers.host, [...localhostAllowedHostnames(), names])
  if (!atHost.ok) return { status: 403, message: atHost.message }
  const from = validateOriginHeader(headers.origin, [...localhostAllowedOrigins(), names])
  if (!from.ok) return { status: 403, message: from.message }
  if (url.split('?', 1)[0] !== mcpPath) return { status: 404, message: `MCP is served at ${mcpPath}.` }
  if (!carriesToken(headers.authorization)) {
    return {
      status: 401,
      message: 'Authorization: Bearer TOKEN is missing or wrong. The server said at its start where the token is.',
    }
  }
  return null
}
