import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readUnlocked } from '@parley/host'
import type { Transport } from '@parley/rpc'
import type { PageResponse, PageSource } from '@parley/rpc/websocket'
import { greetPage, type Prove, type Proven } from './greet-page.ts'

export interface SourceOptions {
  /** Folder of the built page. */
  readonly folder: string
  /** True where a page can sign in with a token. */
  readonly offersSignIn: boolean
  /** Most connections without a proof of their rights. */
  readonly maxUnproven: number
  readonly prove: Prove
  /** Returns the origins of the pages of other servers of the team, as they are known now. */
  readonly otherOrigins: () => readonly string[]
  /** Takes ownership of the transport of a page with proven rights. */
  readonly accept: (transport: Transport, proven: Proven) => void
}

/** Returns the page for a listener, which hands over the connections with proven rights. */
export function createPageSource(options: SourceOptions): PageSource {
  const { folder, maxUnproven, accept, otherOrigins } = options
  const files = readPageFiles(folder)
  /** Connections of nobody yet, the newest last. */
  const unproven = new Set<Transport>()
  return {
    headers: pageHeaders,
    otherOrigins,
    respond: (path, { headers }) =>
      path === serversPath ? listOfServers(otherOrigins()) : files(path, headers['accept-encoding']?.toString()),
    async onConnection(transport, admit) {
      // The longest waiting connection makes room: a page proves its rights at once, a connection that is only held
      // does not.
      const [longest] = unproven
      if (longest !== undefined && unproven.size >= maxUnproven) {
        unproven.delete(longest)
        void longest.close()
      }
      unproven.add(transport)
      const proven = await greetPage(transport, options).finally(() => unproven.delete(transport))
      if (proven === null) return
      admit()
      accept(transport, proven)
    },
  }
}

const types = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' }

/** Files of the page by their path. */
const names: Readonly<Record<string, { readonly file: string; readonly type: keyof typeof types }>> = {
  '/': { file: 'index.html', type: 'html' },
  '/page.js': { file: 'page.js', type: 'js' },
  '/page.css': { file: 'page.css', type: 'css' },
}

/**
 * Reads the built page from its folder. Returns the answer for a path, compressed if `accepts` says so; null for other
 * paths.
 */
function readPageFiles(folder: string): (path: string, accepts: string | undefined) => PageResponse | null {
  const files = new Map(Object.entries(names).map(([path, { file, type }]) => [path, read(join(folder, file), type)]))
  return (path, accepts) => {
    const file = files.get(path)
    if (file === undefined) return null
    return /\bgzip\b/.test(accepts ?? '') ? file.small : file.plain
  }
}

function read(path: string, type: keyof typeof types): { readonly plain: PageResponse; readonly small: PageResponse } {
  const body = Buffer.from(readUnlocked(path))
  const headers = { 'Content-Type': types[type], Vary: 'Accept-Encoding' }
  return {
    plain: { headers, body },
    small: { headers: { ...headers, 'Content-Encoding': 'gzip' }, body: gzipSync(body) },
  }
}

/** Path of the list of the other servers of the team, which the page also opens as a frame without content. */
const serversPath = '/servers'

/**
 * Returns the list, one origin in a line. As a frame it may connect to exactly these servers: a page that was loaded
 * before one of them came could not, since no page gets another policy.
 */
export function listOfServers(origins: readonly string[]): PageResponse {
  const policy = ["default-src 'none'", `connect-src ${socketsOf(origins)}`, "frame-ancestors 'self'", ...nothingElse]
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'SAMEORIGIN',
  }
  return { headers, body: Buffer.from(origins.join('\n')) }
}

const nothingElse = [
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
]

/** Returns the headers of every answer: nothing from elsewhere, no text that becomes code, no trace of the page. */
export function pageHeaders(origin: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${socketsOf([origin])}`,
    "frame-src 'self'",
    "frame-ancestors 'none'",
    ...nothingElse,
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    'Cache-Control': 'no-store',
  }
}

/** Returns the websockets of origins as a policy names them. */
function socketsOf(origins: readonly string[]): string {
  return origins.length === 0 ? "'none'" : origins.map((origin) => origin.replace(/^http/, 'ws')).join(' ')
}
