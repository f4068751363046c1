import type { RightsOfToken } from '@parley/protocol'
import type { LogEvent } from '../metrics/event-log.ts'
import { type AccessSource, type CheckRight, createRightCheck } from './check-right.ts'
import type { Users } from './users.ts'

interface RightsParts {
  readonly users: Users | undefined
  readonly clock: { now(): number }
}

/** Returns how requests and tokens are checked; `rightsOf` is null where the server has no users. */
export function rightsIn(
  { users, clock }: RightsParts,
  source: AccessSource,
): { readonly checkRight: CheckRight; readonly rightsOf: RightsOfToken | null } {
  return { checkRight: createRightCheck(source), rightsOf: users?.rightsIn(source, () => clock.now()) ?? null }
}

/** Returns what the methods about users and links work with. `page`: see `MethodPorts`. */
export function peopleIn(
  { users, logEvent }: { readonly users?: Users | undefined; readonly logEvent?: LogEvent | undefined },
  page: () => string | null,
) {
  return { users: users ?? null, logEvent, page }
}
