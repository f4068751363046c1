import type { IncomingMessage } from 'node:http'
import type { Env, NetworkSettings } from '../port/wire.ts'
import { createRequestStarter, type StartRequest } from './http-agents.ts'

const maxRedirects = 20

/**
 * Returns a `fetch` whose requests go the way of the settings, which are read anew for each: Node's own knows no proxies
 * and authorities but those of variables at the start of the process. Rejects as that does.
 */
export function createNetworkFetch(env: Env, settingsNow: () => NetworkSettings): typeof fetch {
  let known: { readonly settings: string; readonly start: StartRequest } | null = null
  const startNow = () => {
    const settings = settingsNow()
    const written = JSON.stringify(settings)
    if (known?.settings !== written) known = { settings: written, start: createRequestStarter(env, settings) }
    return known.start
  }
  return async (input, init) => {
    const request = new Request(input, init)
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer())
    const { url, method, redirect, signal } = request
    const headers = new Headers(request.headers)
    // No code after this unpacks an answer.
    headers.set('accept-encoding', 'identity')
    const answer = await follow({ url: new URL(url), method, headers, body }, { redirect, signal, start: startNow() })
    return responseOf(answer)
  }
}

interface Sent {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Buffer | null
}

interface Way {
  readonly redirect: Request['redirect']
  readonly signal: AbortSignal
  readonly start: StartRequest
}

/** Sends a request, and where the server answers with another address and `redirect` allows it, the next one. */
async function follow(first: Sent, { redirect, signal, start }: Way): Promise<IncomingMessage> {
  let sent = first
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const answer = await send(sent, signal, start)
    const next = redirect === 'manual' ? null : redirected(sent, answer)
    if (next === null) return answer
    answer.destroy()
    if (redirect === 'error') throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
    sent = next
  }
  throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') })
}

function send(
  { url, method, headers, body }: Sent,
  signal: AbortSignal,
  start: StartRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause }))
    try {
      signal.throwIfAborted()
      const length = body === null ? {} : { 'content-length': body.length }
      const options = { method, headers: { ...Object.fromEntries(headers), ...length }, signal }
      const request = start(url, options)
      request
        .on('response', resolve)
        .on('error', fail)
        .end(body ?? undefined)
    } catch (error) {
      fail(error)
    }
  })
}

/** Returns the request that a redirect asks for; null for any other answer. Credentials stay with their origin. */
function redirected(
  { url, method, headers, body }: Sent,
  { statusCode = 0, headers: said }: IncomingMessage,
): Sent | null {
  if (![301, 302, 303, 307, 308].includes(statusCode) || said.location === undefined) return null
  const next = new URL(said.location, url)
  const kept = new Headers(headers)
  if (next.origin !== url.origin) for (const name of ['authorization', 'cookie']) kept.delete(name)
  const isRead = statusCode === 303 ? method !== 'HEAD' : statusCode < 303 && method === 'POST'
  if (!isRead) return { url: next, method, headers: kept, body }
  for (const name of ['content-type', 'content-encoding', 'content-language']) kept.delete(name)
  return { url: next, method: 'GET', headers: kept, body: null }
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText = '' } = answer
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(answer.headersDistinct))
    for (const value of values) headers.append(name, value)
  if (![204, 205, 304].includes(status))
    return new Response(ReadableStream.from(answer), { status, statusText, headers })
  answer.resume()
  return new Response(null, { status, statusText, headers })
}
