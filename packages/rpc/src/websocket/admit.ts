import type { IncomingMessage } from 'node:http'
import { carriesToken } from './bearer.ts'

type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** The status for a request that asks for no websocket. */
export function answerPlain({ method, url, headers }: Asked): 200 | 403 | 404 {
  if (headers.origin !== undefined) return 403
  return method === 'GET' && probes.has(pathOf(url)) ? 200 : 404
}

/** 101 or why not. An Origin means a browser: a page that the user has open must not reach what runs commands. */
export function answerUpgrade({ url, headers }: Asked, token: string | null): 101 | 401 | 403 | 404 {
  if (headers.origin !== undefined) return 403
  if (pathOf(url) !== '/') return 404
  return token === null || carriesToken(headers.authorization, token) ? 101 : 401
}

function pathOf(url = '/'): string {
  return url.split('?', 1)[0] ?? '/'
}
