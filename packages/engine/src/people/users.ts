import type { ParamsOf, ResultOf, RightsOfToken, UserName } from '@parley/protocol'
import type { AccessSource } from './check-right.ts'

/** Users of a server with their tokens, as a file of a team has them. */
export interface Users {
  /** Looks at the file now. */
  refresh(): void
  /** Tells if there is a user of this name as of the last look at the file. */
  has(name: UserName): boolean
  /** Returns the check of tokens, of users and of the codes of links. `now` returns ms since 1970. */
  rightsIn(source: AccessSource, now: () => number): RightsOfToken
  /** Lists the users, and removed users if their names are kept. Throws `configInvalid` for an unreadable file. */
  list(): ResultOf<'user/list'>
  /** Adds a user and returns the token; the file keeps only its hash. Throws `invalidParams` for a name in use. */
  add(params: ParamsOf<'user/add'>): { token: string }
  /** Removes a user. The name is not given again. Throws `invalidParams` for an unknown user. */
  remove(params: ParamsOf<'user/remove'>): Record<string, never>
  /** Gives a user a new token and returns it. Throws `invalidParams` for an unknown one. */
  renewToken(params: ParamsOf<'user/token'>): { token: string }
}
