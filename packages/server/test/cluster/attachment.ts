import { setTimeout as pause } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { Watched } from '@parley/engine/test/support/test-client.ts'
import type { Envelope } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import type { Member, Reach, Team } from './team.ts'

/** Place at which somebody is in a conversation now. */
export interface Attached {
  readonly member: Member
  readonly reach: Reach
  /** Read from the beginning. */
  readonly watched: Watched
}

/** Event that a client was shown, without its content: a long run has millions. */
export type Shown = Pick<Envelope, 'seq' | 'crc'>

/** Way of one client through the servers that have its conversation. */
export interface Attachment {
  /** Server that it was last on. */
  readonly at: Member
  /**
   * Returns what its connections were shown since the last call, and forgets it: each that read from the beginning, and
   * each part read on by the cursor.
   */
  takeShown(): Shown[]
  /** Attaches to a server without opening the conversation there. */
  readAt(member: Member, reach: Reach): Promise<Attached>
  /** Resolves to where the conversation is, once one of the servers has it. */
  find(): Promise<Attached>
  /** Opens the conversation anew before it is found again. */
  forget(): void
}

/** Calls `onShown` at the first event that the client is shown at each place, as a window goes on by its cursor. */
export function createAttachment(
  team: Team,
  { conversationId, home, onShown }: { conversationId: string; home: Member; onShown: () => void },
): Attachment {
  let shown: Shown[] = []
  // As clients do, so that the conversations of a dead server spread over the others.
  const draw = (member: Member) => crc32(`${conversationId} ${team.members.indexOf(member)}`)
  const inOrder = team.members.toSorted((one, other) => draw(one) - draw(other))
  let at = home
  let watcher: Watched | null = null
  let attached: Attached | null = null

  /** Notes each event that a connection is shown. */
  function note({ until }: Watched): void {
    let noted = 0
    const all = until((_, events) => {
      for (const { seq, crc } of events.slice(noted)) shown.push(crc === undefined ? { seq } : { seq, crc })
      noted = events.length
    })
    all.catch(() => undefined)
  }

  async function readAt(member: Member, reach: Reach): Promise<Attached> {
    const following = await reach.watcher.watch(conversationId, watcher?.cursor)
    watcher = following
    if (following.reset) throw new Error(`${conversationId}: the cursor is not known any more`)
    note(following)
    void following.until((_, events) => events.length > 0).then(onShown, () => undefined)
    const watched = await reach.driver.watch(conversationId)
    note(watched)
    at = member
    attached = { member, reach, watched }
    return attached
  }

  async function openAt(member: Member, reach: Reach): Promise<Attached> {
    await reach.driver.request('conversation/resume', { conversationId })
    return readAt(member, reach)
  }

  /** Resolves to null where the server cannot be reached, or does not open the conversation now. */
  async function tryAt(member: Member): Promise<Attached | null> {
    const { reach } = member
    if (reach === null) return null
    if (attached?.reach === reach) return attached
    try {
      return await within(reach, openAt(member, reach))
    } catch (error) {
      if (!isPassing(error)) throw error
      return null
    }
  }

  return {
    get at() {
      return at
    },
    takeShown() {
      const taken = shown
      shown = []
      return taken
    },
    readAt,
    async find() {
      for (;;) {
        for (const member of [at, ...inOrder]) {
          const found = await tryAt(member)
          if (found !== null) return found
        }
        await pause(50)
      }
    },
    forget() {
      attached = null
    },
  }
}

/** Error for a server that cannot be reached any more. */
class UnreachableError extends Error {}

/** Rejects with an error that passes when the server cannot be reached any more. */
export async function within<Result>({ ended }: Reach, work: Promise<Result>): Promise<Result> {
  work.catch(() => undefined)
  const gone = Promise.withResolvers<never>()
  const leave = () => gone.reject(new UnreachableError())
  if (ended.aborted) leave()
  ended.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([work, gone.promise])
  } finally {
    ended.removeEventListener('abort', leave)
  }
}

/** Tells if another server, or the same a little later, may do what was refused. */
export function isPassing(error: unknown): boolean {
  if (error instanceof UnreachableError || error instanceof RpcError) return true
  return error instanceof Error && /closed/i.test(`${error.name} ${error.message}`)
}
