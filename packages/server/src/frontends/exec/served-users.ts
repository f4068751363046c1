import type { AssertServed } from './handshake.ts'
import { handshakeErrors } from './requests.ts'

/** Returns the check of whom a connection is for: the owner of the machine, and users whom the owner has named. */
export function servedUsers(named: readonly string[] | null): AssertServed {
  return (people) => {
    const { owner, users = [] } = people ?? {}
    if (named !== null && (owner === undefined || users.length === 0)) throw handshakeErrors.usersUnknown()
    const stranger = users.find((user) => user !== owner && !(named ?? []).includes(user))
    if (stranger !== undefined) throw handshakeErrors.notServed(stranger)
  }
}
