import { rejection } from '@parley/engine'
import type { ClientId, ParamsOf, ResultOf } from '@parley/protocol'
import { ListenError } from '@parley/rpc'
import type { OpenedPage, WebPorts } from './web-listener.ts'

/** The page in a browser: listens while a client is connected that has asked for a link. */
export interface WebFrontend {
  /** Returns a new link to the page. Rejects with `invalidParams` when the port cannot be listened on. */
  open(client: ClientId, params: ParamsOf<'web/open'>): Promise<ResultOf<'web/open'>>
  /** Notes that a client has left. After the last that asked for a link, pages are closed and their tokens forgotten. */
  left(client: ClientId): Promise<void>
}

export function createWebFrontend(ports: WebPorts): WebFrontend {
  const askers = new Set<ClientId>()
  let opening: Promise<OpenedPage> | null = null

  async function opened(port: number): Promise<OpenedPage> {
    // Loaded only when used, to keep the start short.
    opening ??= import('./web-listener.ts').then(({ listenForLinks }) => listenForLinks(ports, port))
    try {
      return await opening
    } catch (error) {
      opening = null
      throw error instanceof ListenError ? rejection('invalidParams', `${error.message}.`, { field: 'port' }) : error
    }
  }

  return {
    async open(client, { port = 0, access = 'full', conversationId, cwd }) {
      const { origin, links } = await opened(port)
      askers.add(client)
      const { code, expiresAt } = links.create({
        access,
        only: access === 'readOnly' ? (conversationId ?? null) : null,
      })
      const fragment = new URLSearchParams({
        code,
        ...(conversationId === undefined ? {} : { conversation: conversationId }),
        ...(cwd === undefined ? {} : { folder: cwd }),
      })
      return { url: `${origin}/#${fragment}`, expiresAt }
    },
    async left(client) {
      if (!askers.delete(client) || askers.size > 0) return
      const closing = opening
      opening = null
      await (await closing?.catch(() => null))?.close()
    },
  }
}
