import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readUnlocked } from '@parley/host'
import type { PageResponse } from '@parley/rpc/websocket'

const types = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' }

/** Files of the page by their path. */
const names: Readonly<Record<string, { readonly file: string; readonly type: keyof typeof types }>> = {
  '/': { file: 'index.html', type: 'html' },
  '/page.js': { file: 'page.js', type: 'js' },
  '/page.css': { file: 'page.css', type: 'css' },
}

/** Reads the built page from its folder. Returns the answer for a path, compressed if `accepts` says so; null for none. */
export function readPageFiles(folder: string): (path: string, accepts: string | undefined) => PageResponse | null {
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

/**
 * Returns the headers of every answer: nothing from elsewhere but connections to the `others` of the team, no frame around
 * the page, no text that becomes code, no trace in caches or in addresses of others.
 */
export function pageHeaders(origin: string, others: readonly string[]): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${[...new Set([origin, ...others])].map((one) => one.replace(/^http/, 'ws')).join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
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
