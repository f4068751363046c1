import { isConversationId } from '@parley/journal'
import type { Rights, RightsOfToken } from '@parley/protocol'
import type { LogEvent } from '../metrics/event-log.ts'
import { type AccessSource, type CheckRight, createRightCheck } from './check-right.ts'
import { readCode, rightsOfGuest, rightsOfUser } from './rights.ts'
import type { Users } from './users.ts'

interface RightsParts {
  readonly users?: Users
  readonly clock: { now(): number }
}

/** Returns how requests and tokens are checked; `rightsOf` is null where the server has no users. */
export function rightsIn(
  { users, clock }: RightsParts,
  source: AccessSource,
): { readonly checkRight: CheckRight; readonly rightsOf: RightsOfToken | null } {
  const rightsOf = users === undefined ? null : createRightsOfToken({ users, source, now: () => clock.now() })
  return { checkRight: createRightCheck(source), rightsOf }
}

/** Returns what the methods about users and links work with. `page`: see `MethodPorts`. */
export function peopleIn(
  { users = null, logEvent }: { readonly users?: Users | null; readonly logEvent?: LogEvent },
  page: () => string | null,
) {
  return { users, logEvent, page }
}

interface TokenPorts {
  readonly users: Users
  readonly source: AccessSource
  readonly now: () => number
}

function createRightsOfToken({ users, source, now }: TokenPorts): RightsOfToken {
  async function rightsOfCode(code: string): Promise<Rights | null> {
    const read = readCode(code)
    if (read === null || !isConversationId(read.conversationId)) return null
    const rights = rightsOfGuest(read, now)
    const { conversationId } = read
    const reached = source.openAccess(conversationId) ?? (await source.storedAccess(conversationId))
    return rights.permits('read', { conversationId, access: reached?.access }) ? rights : null
  }

  return (token) => {
    const user = users.byToken(token)
    return user === null ? rightsOfCode(token) : rightsOfUser(user, users)
  }
}
