import type { ListedUser, ParamsOf, ResultOf } from '@parley/protocol'
import { rejection } from '../replies/rejection.ts'
import { newToken, type Users } from './users.ts'
import { UsersFileError, type UsersLine } from './users-file.ts'

/** Returns the users of a server. Throws `invalidParams` where it has none. */
function assertUsers(users: Users | null): Users {
  if (users !== null) return users
  throw rejection(
    'invalidParams',
    'This server has no users: start it with --users FILE, or set users_file in config.toml.',
  )
}

/** Lists the users, and those whose names are kept. Throws `configInvalid` for a file that cannot be read as it is. */
export function listUsers(users: Users | null): ResultOf<'user/list'> {
  if (users === null) return { file: null, users: [] }
  if (users.problem !== null) throw rejection('configInvalid', users.problem, { where: users.file })
  return { file: users.file, users: users.lines.flatMap(listedLine) }
}

function listedLine(line: UsersLine): ListedUser[] {
  if (line.kind === 'remark') return []
  if (line.kind === 'removed') return [{ user: line.name, role: 'member', removed: true }]
  const { name: user, role, maxSandbox } = line.user
  return [{ user, role, ...(maxSandbox === undefined ? {} : { maxSandbox }) }]
}

/** Adds a user, and returns the token, which is kept as its hash only. */
export function addUser(
  users: Users | null,
  { user: name, role = 'member', maxSandbox, again }: ParamsOf<'user/add'>,
): { token: string } {
  const { token, tokenHash } = newToken()
  const user = { name, role, tokenHash, ...(maxSandbox === undefined ? {} : { maxSandbox }) }
  change(assertUsers(users), (lines) => {
    const known = lines.find((line) => nameOf(line) === name)
    if (known?.kind === 'user') throw rejection('invalidParams', `There is a user ${name} already.`, { field: 'user' })
    if (known !== undefined && again !== true)
      throw rejection(
        'invalidParams',
        `${name} was a user before, and whoever has the name gets what was shared with it. Take another name; --again if it is the same person.`,
        { field: 'user' },
      )
    return [...lines.filter((line) => line !== known), { kind: 'user', user }]
  })
  return { token }
}

/** Removes a user, whose name is kept from others. */
export function removeUser(users: Users | null, { user: name }: ParamsOf<'user/remove'>): Record<string, never> {
  change(assertUsers(users), (lines) => withUser(lines, name, () => ({ kind: 'removed', name })))
  return {}
}

/** Gives a user a new token, and returns it. */
export function renewToken(users: Users | null, { user: name }: ParamsOf<'user/token'>): { token: string } {
  const { token, tokenHash } = newToken()
  change(assertUsers(users), (lines) =>
    withUser(lines, name, ({ user }) => ({ kind: 'user', user: { ...user, tokenHash } })),
  )
  return { token }
}

type UserLine = Extract<UsersLine, { kind: 'user' }>

function withUser(
  lines: readonly UsersLine[],
  name: string,
  changed: (line: UserLine) => UsersLine,
): readonly UsersLine[] {
  if (!lines.some((line) => line.kind === 'user' && line.user.name === name))
    throw rejection('invalidParams', `There is no user ${name}.`, { field: 'user' })
  return lines.map((line) => (line.kind === 'user' && line.user.name === name ? changed(line) : line))
}

function nameOf(line: UsersLine): string | null {
  if (line.kind === 'remark') return null
  return line.kind === 'user' ? line.user.name : line.name
}

function change(users: Users, plan: Parameters<Users['change']>[0]): void {
  try {
    users.change(plan)
  } catch (error) {
    if (!(error instanceof UsersFileError)) throw error
    throw rejection('configInvalid', error.message, { where: users.file })
  }
}
