import type { SecureContext } from 'node:tls'
import { readUnlocked } from '@parley/host'
import { certificateFault, errorCode, isLoopbackHost } from '@parley/text'
import type { Env, NetworkSettings } from '../port/provider.ts'

/** Error of a CA file that cannot be used. Its code makes it a request that could not be sent. */
class CaFileError extends Error {
  override readonly name = 'CaFileError'
  readonly code = 'ERR_CA_FILE'
}

/** Returns the variables that Node takes proxies from. Settings go before variables of the environment. */
export function proxyVariables(env: Env, { proxy, noProxy }: NetworkSettings = {}): Record<string, string> {
  const own = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: noProxy?.join(',') }
  const pairs = Object.entries(own).flatMap(([name, configured]) => {
    const value = configured ?? env[name.toLowerCase()] ?? env[name]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  return Object.fromEntries(pairs)
}

/** Returns the proxy that requests to an address go through; null when they go there directly. */
export function proxyFor(url: URL, env: Env, settings: NetworkSettings = {}): URL | null {
  if (isLoopbackHost(url.hostname)) return null
  const variables = proxyVariables(env, settings)
  const proxy = variables[url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'] ?? ''
  const isExempt = (variables['NO_PROXY'] ?? '').split(/[\s,]+/).some((entry) => exempts(entry, url))
  return isExempt || !URL.canParse(proxy) ? null : new URL(proxy)
}

/** Tells if an entry of NO_PROXY (`*`, a host, `.suffix` or `*.suffix`, with an optional port) covers an address. */
function exempts(entry: string, url: URL): boolean {
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
  if (host === '' || (port !== undefined && port !== portOf(url))) return false
  const suffix = host.replace(/^\*/, '')
  return host === '*' || host === url.hostname || (suffix.startsWith('.') && url.hostname.endsWith(suffix))
}

/** Returns the port of an address; the usual port of its protocol when the address names no port. */
export function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}

/** Returns the authorities to check certificates against; undefined for Node's own. Throws for an unusable CA file. */
export function trustOf({ caFile, systemCa = false }: NetworkSettings = {}): SecureContext | undefined {
  if (caFile === undefined && !systemCa) return undefined
  // A list of authorities replaces Node's own, which is therefore added, too.
  const tls = process.getBuiltinModule('tls')
  const system = systemCa ? tls.getCACertificates('system') : []
  const own = caFile === undefined ? [] : [readCaFile(caFile)]
  return tls.createSecureContext({ ca: [...tls.getCACertificates('default'), ...system, ...own] })
}

function readCaFile(path: string): string {
  const text = readOrExplain(path)
  const fault = certificateFault(text)
  if (fault === null) return text
  throw new CaFileError(`ca_file ${path} ${fault}`)
}

function readOrExplain(path: string): string {
  try {
    return readUnlocked(path)
  } catch (error) {
    const cause = errorCode(error) ?? String(error)
    throw new CaFileError(`ca_file ${path} cannot be read (${cause})`, { cause: error })
  }
}
