import { type Client, connectClient } from '@parley/client/browser'
import type { ClientAccess, ConversationId, Person } from '@parley/protocol'
import type { Transport } from '@parley/rpc'
import { createListeners, type Listeners } from './listeners.ts'
import type { PageSecrets, Proof } from './page-secret.ts'

/** A link that is up. */
interface UpLink {
  readonly kind: 'up'
  readonly client: Client
  readonly access: ClientAccess
  /** Conversations that were taken away from this page since then. */
  readonly takenAway: ReadonlySet<ConversationId>
}

/** Proof that the server did not admit: nothing, the code of a link to one conversation, or anything else. */
export type Rejected = 'nothing' | 'link' | 'token'

/** State of the link to the server. */
export type LinkState =
  | { readonly kind: 'connecting' }
  | UpLink
  | { readonly kind: 'lost' }
  /** `offersSignIn`: whoever has a token may come in with it. */
  | { readonly kind: 'notAdmitted'; readonly offersSignIn: boolean; readonly rejected: Rejected }

/** Link of a page to its server, made anew when it is lost. */
export interface Link {
  readonly state: LinkState
  readonly subscribe: Listeners['subscribe']
  /** Person that the page acts for, as the server said last; absent where it has no users. */
  readonly person: Person | undefined
  /** Tries again at once where the link is lost, and finds out whether one that seems up still is. */
  check(): void
  /** Comes in with a token. */
  signIn(token: string): void
  /** Forgets the token of this tab, and leaves. */
  signOut(): void
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
  let person: Person | undefined
  let retryMs = firstRetryMs
  let timer: ReturnType<typeof setTimeout> | undefined

  function become(next: LinkState): void {
    state = next
    listeners.callAll()
  }

  function takeAway(conversationId: ConversationId): void {
    if (state.kind === 'up') become({ ...state, takenAway: new Set([...state.takenAway, conversationId]) })
  }

  async function connect(): Promise<void> {
    clearTimeout(timer)
    try {
      const next = await admit(options, takeAway)
      if (next.kind === 'notAdmitted') return become(next)
      retryMs = firstRetryMs
      person = next.client.server.person
      become(next)
      await next.client.closed
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
    get person() {
      return person
    },
    check() {
      if (state.kind === 'lost') void connect()
      if (state.kind === 'up') void probe(state.client)
    },
    signIn(token) {
      options.secrets.take(token)
      become({ kind: 'connecting' })
      void connect()
    },
    signOut() {
      options.secrets.clear()
      if (state.kind === 'up') void state.client.close()
    },
  }
}

type NotAdmitted = LinkState & { readonly kind: 'notAdmitted' }

/** Connects and proves who this page is. */
async function admit(
  options: LinkOptions,
  onTakenAway: (conversationId: ConversationId) => void,
): Promise<UpLink | NotAdmitted> {
  const { secrets, open } = options
  for (let rejected: Rejected = 'nothing'; ; ) {
    const proof = secrets.proof()
    const transport = await open()
    // A page without a proof asks, too: the server says if it offers to sign in.
    transport.send(JSON.stringify(proof ?? {}))
    // The iterator of a transport is its own: the client goes on where this stops.
    const answer = await transport.incoming[Symbol.asyncIterator]().next()
    if (answer.done === true || answer.value.kind !== 'message') throw new Error('The server closed the connection.')
    const { value } = answer.value
    const admitted = readAnswer(value)
    if (admitted !== null) {
      secrets.keep(admitted.token)
      return greet(transport, admitted.access, { options, onTakenAway })
    }
    await transport.close()
    if (proof !== null) rejected = kindOf(proof)
    if (proof === null || !secrets.forget()) return { kind: 'notAdmitted', offersSignIn: offersSignIn(value), rejected }
  }
}

/** Tells what a proof is: the code of a link to a conversation has a dot, and a token has none. */
function kindOf(proof: Proof): Rejected {
  return 'token' in proof && proof.token.includes('.') ? 'link' : 'token'
}

interface Greeting {
  readonly options: LinkOptions
  readonly onTakenAway: (conversationId: ConversationId) => void
}

async function greet(
  transport: Transport,
  access: ClientAccess,
  { options: { name, version }, onTakenAway }: Greeting,
): Promise<UpLink> {
  const isFull = access === 'full'
  const client = await connectClient({
    transport,
    clientInfo: { name, title: 'browser', version },
    canApprove: isFull,
    canRaiseLimits: isFull,
    access,
    onNotice({ code, conversationId }) {
      if (code === 'accessEnded' && conversationId !== undefined) onTakenAway(conversationId)
    },
  })
  return { kind: 'up', client, access, takenAway: new Set() }
}

function offersSignIn(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'signIn' in value && value.signIn === true
}

function readAnswer(value: unknown): { readonly token: string; readonly access: ClientAccess } | null {
  if (typeof value !== 'object' || value === null || !('token' in value && 'access' in value)) return null
  const { token, access } = value
  if (typeof token !== 'string') return null
  return { token, access: access === 'full' ? 'full' : 'readOnly' }
}
