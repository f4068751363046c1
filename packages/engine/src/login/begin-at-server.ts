import { type Config, isProtectedAddress } from '@parley/config'
import { beginMcpLogin } from '@parley/mcp-client'
import { closest } from '@parley/text'
import type { McpCredential } from '../credentials/credential.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import { rejection } from '../replies/rejection.ts'
import { faultOf } from './begin-login.ts'
import { openLoopbackRedirect } from './loopback-redirect.ts'

interface McpLoginRequest {
  /** Key of `[mcp_servers.X]` of the user's own configuration. */
  readonly name: string
  readonly config: Config
  readonly signal: AbortSignal
}

interface ServerPorts {
  readonly clock: Clock
  readonly fetch: typeof fetch
}

interface BegunMcpLogin {
  readonly url: string
  readonly credential: Promise<McpCredential>
}

const patienceMs = 10 * 60_000

/**
 * Begins a login to an MCP server in a browser of this machine. Rejects with `invalidParams` for a server without an
 * address, and `configInvalid` where the server has no login by OAuth.
 */
export async function beginAtServer(
  { name, config, signal }: McpLoginRequest,
  { clock, fetch }: ServerPorts,
): Promise<BegunMcpLogin> {
  const url = addressOf(name, config)
  let expected: string | null = null
  const redirect = await openLoopbackRedirect((found) => expected !== null && found.get('state') === expected)
  const way = {
    uri: redirect.uri,
    arrived(state: string) {
      expected = state
      return untilAborted(redirect.arrived, signal).finally(() => redirect[Symbol.dispose]())
    },
  }
  try {
    const { authorizeUrl, login } = await beginMcpLogin({ url, redirect: way, signal, now: clock.now, fetch })
    const credential = login.then((found): McpCredential => ({ kind: 'mcp', ...found }))
    // Awaited by the attempt, which begins after the reply.
    credential.catch(() => undefined)
    return { url: authorizeUrl, credential }
  } catch (error) {
    redirect[Symbol.dispose]()
    const { code, message } = faultOf(error)
    if (code === 'internal') throw error
    throw rejection('configInvalid', message, { where: `mcp_servers.${name}.url` })
  }
}

function addressOf(name: string, { mcp_servers: servers = {} }: Config): string {
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined
  if (server?.url !== undefined) return protectedAddress(server.url, name)
  const near = closest(name, Object.keys(servers))
  const hint = near === null ? '' : ` Did you mean "${near}"?`
  const why =
    server === undefined ? `There is no [mcp_servers.${name}] in config.toml.${hint}` : `${name} is a program.`
  throw rejection('invalidParams', `${why} Only servers with a url are logged in to.`, { field: 'name' })
}

/** Throws `configInvalid` for an address where anybody on the way could read the tokens. */
function protectedAddress(url: string, name: string): string {
  if (isProtectedAddress(url)) return url
  const why = 'is neither an https address nor one of this machine, so a login would not stay secret on the way.'
  throw rejection('configInvalid', `The url of ${name} ${why}`, { where: `mcp_servers.${name}.url` })
}

function untilAborted(wait: Promise<URLSearchParams>, signal: AbortSignal): Promise<URLSearchParams> {
  const { promise, reject } = Promise.withResolvers<never>()
  const give = (code: string, text: string) => () => reject(rejection('invalidRequest', text, { code }))
  const expired = setTimeout(
    give('timeout', 'Nobody logged in within 10 minutes; nothing is kept.'),
    patienceMs,
  ).unref()
  signal.addEventListener('abort', give('aborted', 'The login was cancelled; nothing is kept.'), { once: true })
  return Promise.race([wait, promise]).finally(() => clearTimeout(expired))
}
