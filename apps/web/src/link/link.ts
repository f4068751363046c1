import { type Client, connectClient, isTaken } from '@parley/client/browser'
import type { ClientAccess, ConversationId, Person } from '@parley/protocol'
import type { Transport } from '@parley/rpc'
import { createListeners, type Listeners } from './listeners.ts'
import type { PageSecrets, Proof } from './page-secret.ts'
import { createTeamServers, type TeamServers } from './team-servers.ts'

interface UpLink {
  readonly kind: 'up'
  readonly client: Client
  readonly access: ClientAccess
  /** Conversation that this server lost to another one, or passed on, last; another object each time. */
  readonly moved: { readonly conversationId: ConversationId } | null
}

/** Proof that the server did not admit: nothing, the code of a link to one conversation, or anything else. */
export type Rejected = 'nothing' | 'link' | 'token'

export type LinkState =
  | { readonly kind: 'connecting' }
  | UpLink
  | { readonly kind: 'lost' }
  /** `offersSignIn`: a user may sign in with a token. */
  | { readonly kind: 'notAdmitted'; readonly offersSignIn: boolean; readonly rejected: Rejected }

/** Link of a page to its server, made anew when it is lost: to the same one, or to the next of the team. */
export interface PageLink {
  readonly state: LinkState
  readonly subscribe: Listeners['subscribe']
  /** Person that the page acts for, as the server said last; absent where it has no users. */
  readonly person: Person | undefined
  /** Tries again at once where the link is lost, and finds out whether one that seems up still is. */
  check(): void
  /** Learns which servers the team has by now, where the server has users. Never rejects. */
  lookAround(): Promise<void>
  /** Goes to the server with this websocket. Returns false for one that is not of the team, and for the one it is at. */
  goTo(websocket: string | null): boolean
  signIn(token: string): void
  /** Forgets the token of this tab, and leaves. */
  signOut(): void
}

interface LinkOptions {
  readonly name: string
  readonly version: string
  readonly secrets: PageSecrets
  /** Origin that the page was loaded from. */
  readonly home: string
  /** Opens a connection to the server of an origin. Rejects when it does not answer. */
  readonly open: (origin: string) => Promise<Transport>
  /** Resolves to the origins of the team's servers that `open` reaches by now. Rejects while home does not answer. */
  readonly look: () => Promise<readonly string[]>
}

const firstRetryMs = 300
const lastRetryMs = 10_000
/** Time for an answer after which a link counts as lost: a computer that slept does not notice by itself. */
const answerMs = 4_000

export function openLink(options: LinkOptions): PageLink {
  const listeners = createListeners()
  const servers = createTeamServers(options.home, options.look)
  let state: LinkState = { kind: 'connecting' }
  let person: Person | undefined
  let retryMs = firstRetryMs
  let timer: ReturnType<typeof setTimeout> | undefined
  let isTrying = false

  const lookAround = async () => (person === undefined ? undefined : servers.lookAround())

  function become(next: LinkState): void {
    state = next
    listeners.callAll()
  }

  function move(conversationId: ConversationId): void {
    if (state.kind === 'up') become({ ...state, moved: { conversationId } })
  }

  async function connect(): Promise<void> {
    if (isTrying) return
    clearTimeout(timer)
    isTrying = true
    const next = await tryAll(servers, options, { onMoved: move }).finally(() => {
      isTrying = false
    })
    if (next === null) {
      lose(retryMs)
      retryMs = Math.min(lastRetryMs, retryMs * 2)
      return
    }
    if (next.kind === 'up') {
      retryMs = firstRetryMs
      person = next.client.server.person
      void next.client.closed.then(() => lose(0))
    }
    become(next)
    void lookAround()
  }

  function lose(delayMs: number): void {
    become({ kind: 'lost' })
    timer = setTimeout(() => void connect(), delayMs)
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
    lookAround,
    goTo(websocket) {
      if (state.kind !== 'up' || !servers.choose(websocket)) return false
      void state.client.close()
      return true
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

/** Closes a connection that does not answer in time. */
async function probe(client: Client): Promise<void> {
  const expired = setTimeout(() => void client.close(), answerMs)
  await client.request('conversation/list', { limit: 1 }).catch(() => undefined)
  clearTimeout(expired)
}

type NotAdmitted = LinkState & { readonly kind: 'notAdmitted' }

interface Told {
  /** Called when the server no longer has a conversation, and another one does. */
  readonly onMoved: (conversationId: ConversationId) => void
}

/** Tries the last server of the page, then the others of the team; null if no server answers. */
async function tryAll(servers: TeamServers, options: LinkOptions, told: Told): Promise<UpLink | NotAdmitted | null> {
  let rejected: NotAdmitted | null = null
  for (const origin of servers.inOrder()) {
    try {
      const next = await admit(origin, options, told)
      if (next.kind === 'up') servers.reached(origin)
      // Whom the server of this page rejects, no other is asked about.
      if (next.kind === 'up' || origin === options.home) return next
      rejected = next
    } catch {
      // The next one may answer.
    }
  }
  return rejected
}

/** Connects and proves the page's identity. */
async function admit(origin: string, options: LinkOptions, told: Told): Promise<UpLink | NotAdmitted> {
  const { secrets, open, home } = options
  for (let rejected: Rejected = 'nothing'; ; ) {
    const proof = secrets.proof()
    const transport = await open(origin)
    // A page without a proof asks, too: the server says if it offers to sign in.
    transport.send(JSON.stringify(proof ?? {}))
    // The iterator of a transport is its own: the client goes on where this stops.
    const answer = await transport.incoming[Symbol.asyncIterator]().next()
    if (answer.done === true || answer.value.kind !== 'message') throw new Error('The server closed the connection.')
    const { value } = answer.value
    const admitted = readAnswer(value)
    if (admitted !== null) {
      secrets.keep(admitted.token)
      return greet(transport, admitted.access, { options, told })
    }
    await transport.close()
    if (proof !== null) rejected = kindOf(proof)
    const notAdmitted = { kind: 'notAdmitted', offersSignIn: offersSignIn(value), rejected } as const
    // The token is kept for the server that the page is from, whatever another one says of it.
    if (proof === null || origin !== home || !secrets.forget()) return notAdmitted
  }
}

/** Returns the kind of a proof: the code of a link to a conversation has a dot, a token has no dot. */
function kindOf(proof: Proof): Rejected {
  return 'token' in proof && proof.token.includes('.') ? 'link' : 'token'
}

interface Greeting {
  readonly options: LinkOptions
  readonly told: Told
}

async function greet(
  transport: Transport,
  access: ClientAccess,
  { options: { name, version }, told }: Greeting,
): Promise<UpLink> {
  const isFull = access === 'full'
  const client = await connectClient({
    transport,
    clientInfo: { name, title: 'browser', version },
    canApprove: isFull,
    canRaiseLimits: isFull,
    access,
    callbacks: {
      onNotice(notice) {
        if (isTaken(notice)) told.onMoved(notice.conversationId)
      },
    },
  })
  return { kind: 'up', client, access, moved: null }
}

function offersSignIn(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'signIn' in value && value.signIn === true
}

interface Admitted {
  readonly token: string
  readonly access: ClientAccess
}

function readAnswer(value: unknown): Admitted | null {
  if (typeof value !== 'object' || value === null || !('token' in value && 'access' in value)) return null
  const { token, access } = value
  if (typeof token !== 'string') return null
  return { token, access: access === 'full' ? 'full' : 'readOnly' }
}
