import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

const path = '/callback'

/**
 * Listens on a free port of loopback, at the address to which a browser returns after a login. Only the exact address is
 * answered; `accepts` returns false for parameters of another login, which are refused while the wait goes on.
 */
export async function openLoopbackRedirect(accepts: (found: URLSearchParams) => boolean) {
  const { promise: arrived, resolve } = Promise.withResolvers<URLSearchParams>()
  const server = createServer((request, response) => {
    const found = parametersOf(request, uri)
    if (found === null) return answer(response, 404, 'There is nothing here.')
    if (!accepts(found)) return answer(response, 400, 'This page is not for the login in progress. Nothing was saved.')
    answer(response, 200, 'You can close this page and go back to the terminal.')
    resolve(found)
  })
  const uri = await new Promise<string>((listening, failed) => {
    server.once('error', failed)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      listening(`http://127.0.0.1:${port}${path}`)
    })
  })
  server.unref()
  return {
    uri,
    /** Resolves to the parameters of the first accepted request. */
    arrived,
    [Symbol.dispose]() {
      server.close()
      server.closeIdleConnections()
    },
  }
}

/** Returns the parameters of a request to exactly `uri`; null for any other, also by another name of this machine. */
function parametersOf({ method, url = '', headers }: IncomingMessage, uri: string): URLSearchParams | null {
  const [asked = '', query = ''] = url.split('?')
  const isExact = method === 'GET' && asked === path && `http://${headers.host}${asked}` === uri
  return isExact ? new URLSearchParams(query) : null
}

function answer(response: ServerResponse, status: number, sentence: string): void {
  const body = `<!doctype html><meta charset="utf-8"><title>parley</title><p>${sentence}</p>\n`
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    // The address has the code in it.
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(body)
}
