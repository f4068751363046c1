import { type Listener, listenerOf } from '../transport/transport.ts'
import { addressOf, createWebSocketServer, listening } from './http-listener.ts'
import { createPageGuard, type PageGuard, type PageSource } from './page-guard.ts'

interface ListenForPageOptions extends PageSource {
  /** 0 for a port that the system chooses. */
  readonly port: number
}

export interface PageListener extends Listener {
  /** `http://127.0.0.1:PORT`, the only Origin and Host that it admits. */
  readonly origin: string
}

const loopback = '127.0.0.1'
const maxRequestsOfSocket = 1000

/**
 * Listens on loopback for a page and its websockets. Admits exactly its own Host, so that no other name leads here, and
 * exactly its own Origin. Rejects with `ListenError`.
 */
export async function listenForPage(options: ListenForPageOptions): Promise<PageListener> {
  let guard: PageGuard | null = null
  const server = createWebSocketServer((head) => guard?.admit(head) ?? 503, { maxHeaderSize: 16 * 1024 })
  server.maxRequestsPerSocket = maxRequestsOfSocket
  await listening(server, loopback, options.port)
  const host = addressOf(server)
  const origin = `http://${host}`
  const opened = createPageGuard([origin], options)
  guard = opened
  server.on('request', (request, response) => opened.answer(request, response))
  return { ...listenerOf(server, host), origin }
}
