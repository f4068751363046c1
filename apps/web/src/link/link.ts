import { type Client, connectClient } from '@parley/client/browser'
import type { ClientAccess } from '@parley/protocol'
import type { Transport } from '@parley/rpc'
import { createListeners, type Listeners } from './listeners.ts'
import type { PageSecrets } from './page-secret.ts'

/** State of the link to the server. `notAdmitted`: the server knows neither the code nor the token of this page. */
export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'up'; readonly client: Client; readonly access: ClientAccess }
  | { readonly kind: 'lost' }
  | { readonly kind: 'notAdmitted' }

/** Link of a page to its server, made anew when it is lost. */
export interface Link {
  readonly state: LinkState
  readonly subscribe: Listeners['subscribe']
  /** Tries again at once where the link is lost, and finds out whether one that seems up still is. */
  check(): void
}

interface LinkOptions {
  /** Name by which the page introduces itself. */
  readonly name: string
  readonly version: string
  readonly secrets: PageSecrets
  /** Opens a connection. Rejects when the server does not answer. */
  readonly open: () => Promise<Transport>
}

const firstRetryMs = 300
const lastRetryMs = 10_000
/** Time for an answer after which a link counts as lost: a computer that slept does not notice by itself. */
const answerMs = 4_000

export function openLink(options: LinkOptions): Link {
  const listeners = createListeners()
  let state: LinkState = { kind: 'connecting' }
  let retryMs = firstRetryMs
  let timer: ReturnType<typeof setTimeout> | undefined

  function become(next: LinkState): void {
    state = next
    listeners.callAll()
  }

  async function connect(): Promise<void> {
    clearTimeout(timer)
    try {
      const up = await admit(options)
      if (up === null) return become({ kind: 'notAdmitted' })
      retryMs = firstRetryMs
      become(up)
      await up.client.closed
      lose(0)
    } catch {
      lose(retryMs)
      retryMs = Math.min(lastRetryMs, retryMs * 2)
    }
  }

  function lose(delayMs: number): void {
    become({ kind: 'lost' })
    timer = setTimeout(() => void connect(), delayMs)
  }

  async function probe(client: Client): Promise<void> {
    const expired = setTimeout(() => void client.close(), answerMs)
    await client.request('conversation/list', { limit: 1 }).catch(() => undefined)
    clearTimeout(expired)
  }

  void connect()
  return {
    get state() {
      return state
    },
    subscribe: listeners.subscribe,
    check() {
      if (state.kind === 'lost') void connect()
      if (state.kind === 'up') void probe(state.client)
    },
  }
}

/** Connects and proves who this page is. Resolves with null when the server does not admit it. */
async function admit({ name, version, secrets, open }: LinkOptions): Promise<(LinkState & { kind: 'up' }) | null> {
  for (;;) {
    const proof = secrets.proof()
    if (proof === null) return null
    const transport = await open()
    transport.send(JSON.stringify(proof))
    // The iterator of a transport is its own: the client goes on where this stops.
    const answer = await transport.incoming[Symbol.asyncIterator]().next()
    if (answer.done === true || answer.value.kind !== 'message') throw new Error('The server closed the connection.')
    const admitted = readAnswer(answer.value.value)
    if (admitted === null) {
      await transport.close()
      if (!secrets.forget()) return null
      continue
    }
    secrets.keep(admitted.token)
    const { access } = admitted
    const isFull = access === 'full'
    const client = await connectClient({
      transport,
      clientInfo: { name, title: 'browser', version },
      canApprove: isFull,
      canRaiseLimits: isFull,
      access,
    })
    return { kind: 'up', client, access }
  }
}

function readAnswer(value: unknown): { readonly token: string; readonly access: ClientAccess } | null {
  if (typeof value !== 'object' || value === null || !('token' in value && 'access' in value)) return null
  const { token, access } = value
  if (typeof token !== 'string') return null
  return { token, access: access === 'full' ? 'full' : 'readOnly' }
}
