import type { IncomingMessage } from 'node:http'
import type { Env, NetworkSettings } from '../port/provider.ts'
import { createRequestStarter, type StartRequest } from './http-agents.ts'

const maxRedirects = 20

/**
 * Returns a `fetch` that follows the network settings, read anew for each request. Node's own `fetch` knows only the
 * proxies and authorities of the variables at the start of the process. Rejects as Node's own does.
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
    const { url, method } = request
    const headers = new Headers(request.headers)
    // No code after this unpacks an answer.
    headers.set('accept-encoding', 'identity')
    const answer = await follow({ url: new URL(url), method, headers, body }, request, startNow())
    return responseOf(answer)
  }
}

interface OutgoingRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Buffer | null
}

/** Sends a request, and where the server answers with another address and `redirect` allows it, the next one. */
async function follow(
  first: OutgoingRequest,
  { redirect, signal }: Pick<Request, 'redirect' | 'signal'>,
  start: StartRequest,
): Promise<IncomingMessage> {
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
  { url, method, headers, body }: OutgoingRequest,
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
  { url, method, headers, body }: OutgoingRequest,
  { statusCode = 0, headers: said }: IncomingMessage,
): OutgoingRequest | null {
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
