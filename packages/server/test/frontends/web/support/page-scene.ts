import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectTestClient } from '@parley/engine/test/support/test-client.ts'
import { protocolVersions } from '@parley/protocol'
import { createMemoryTransportPair } from '@parley/rpc'
import { isRecord } from '@parley/text'
import { WebSocket } from 'ws'
import { createConnections } from '../../../../src/frontends/conversation/connections.ts'
import { createWebFrontend } from '../../../../src/frontends/web/web-frontend.ts'
import { testPlace } from '../../../engine/support/test-server.ts'

/** A server whose clients may make links to its page. */
export function pageScene() {
  const place = testPlace()
  const folder = mkdtempSync(join(tmpdir(), 'parley-page-'))
  for (const name of ['index.html', 'page.js', 'page.css']) writeFileSync(join(folder, name), name)
  const { engine } = place.start()
  const connections = createConnections({
    engine,
    openWeb: (accept) => createWebFrontend({ folder, now: Date.now, accept }),
    onChange: () => undefined,
  })
  return {
    place,
    async terminal() {
      const [ours, theirs] = createMemoryTransportPair()
      connections.accept(theirs, 'stdio')
      return await connectTestClient(ours, 'terminal')
    },
    async [Symbol.asyncDispose]() {
      await connections.close()
      await place[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A page of its own Origin: sends each text, and collects what comes until the connection closes. */
export function pageOf(url: string) {
  const { origin } = new URL(url)
  const websocket = new WebSocket(`${origin.replace('http:', 'ws:')}/socket`, { origin })
  const received: unknown[] = []
  let lastId = 1
  let wake = () => {}
  websocket.on('message', (data) => {
    received.push(JSON.parse(String(data)))
    wake()
  })
  const closed = new Promise<number>((resolve) => websocket.on('close', resolve))
  return {
    closed,
    async say(message: unknown): Promise<unknown> {
      if (websocket.readyState === WebSocket.CONNECTING) await new Promise((resolve) => websocket.once('open', resolve))
      websocket.send(JSON.stringify(message))
      return this.hear()
    },
    async hear(): Promise<unknown> {
      while (received.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return received.shift()
    },
    /** Makes a request, and resolves with what it says of it; what comes without being asked for is left out. */
    async ask(method: string, params: object): Promise<PageAnswer> {
      lastId += 1
      const id = lastId
      for (let said = await this.say({ jsonrpc: '2.0', id, method, params }); ; said = await this.hear()) {
        const answer = readAnswer(said)
        if (answer?.id === id) return answer
      }
    },
  }
}

/** Returns the code in a link. */
export const codeOf = (url: string) => new URLSearchParams(new URL(url).hash.slice(1)).get('code')

/** First request of a page. */
export const greeting = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: protocolVersions, clientInfo: { name: 'page', version: '0' } },
}

/** Answer to a request of a page. */
export interface PageAnswer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly data?: { readonly code?: unknown } }
}

function readAnswer(said: unknown): PageAnswer | null {
  if (!isRecord(said) || typeof said['id'] !== 'number') return null
  return { ...said, id: said['id'] }
}
