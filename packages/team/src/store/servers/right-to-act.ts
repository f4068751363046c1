import type { Shipment } from '@parley/engine/shared-store'
import { STORE_SLOW, STORE_TAKEN, StorageError } from '@parley/journal'
import { createTries } from '../connection/tries.ts'
import type { Nodes } from './nodes.ts'
import type { Claim } from './owners.ts'
import { certainMs, type Moment, momentNow, msSince } from './renewals.ts'

interface RightPorts {
  readonly claim: Claim
  readonly nodes: Pick<Nodes, 'lapses' | 'renew'>
  /** Servers of the store, as people write them. */
  readonly name: string
}

/** Questions before an effect: this process may be paused while the answer to the first is on its way. */
const mostQuestions = 2

/** End of the stored part of a conversation. */
interface Ending {
  /** Failure that ended it; null before one. */
  readonly failure: StorageError | null
  fail(error: StorageError): void
}

/** Knows if this server still has a conversation: by its lease, and where that may have ended by asking the store. */
export interface RightToAct extends Pick<Shipment, 'mayAct' | 'assertMayAct' | 'taken'> {
  /** Error of an unanswered question; null without one. */
  readonly trouble: StorageError | null
  /** Makes the next failure of a question final. */
  end(): void
}

export function rightToAct({ claim, nodes, name }: RightPorts, ending: Ending): RightToAct {
  const tries = createTries(name)
  const taken = () => ending.fail(new StorageError({ code: STORE_TAKEN, operation: 'act for', path: name }))

  function assertNotEnded(): void {
    if (ending.failure !== null) throw ending.failure
  }

  let heldAt = claim.lapses
  /** Moment at which the question was sent that was last answered with yes. */
  let asked: Moment | null = null

  /**
   * Tells if the lease has lasted since the conversation was known to be held here. A store whose answers take
   * longer than two seconds never shows that: there a yes counts for as long as a lease, from the moment of its question.
   */
  function isCertain(): boolean {
    const { lapses } = nodes
    return (lapses !== null && lapses === heldAt) || (asked !== null && msSince(asked) <= certainMs)
  }

  async function ask(): Promise<boolean> {
    // First the lease: while it lasts, no server can take the conversations of this one.
    await nodes.renew()
    const { lapses } = nodes
    const sent = momentNow()
    const isHeld = await claim.holds()
    heldAt = isHeld ? lapses : heldAt
    asked = isHeld ? sent : null
    return isHeld
  }

  return {
    async mayAct() {
      for (let questions = 0; questions < mostQuestions && ending.failure === null && !isCertain(); questions++)
        if (!(await tries.persist(ask))) taken()
      assertNotEnded()
    },
    assertMayAct() {
      assertNotEnded()
      if (!isCertain()) throw new StorageError({ code: STORE_SLOW, operation: 'ask', path: name })
    },
    taken,
    get trouble() {
      return tries.trouble
    },
    end: tries.end,
  }
}
