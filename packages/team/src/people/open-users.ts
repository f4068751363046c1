import { rejection, type Users } from '@parley/engine'
import type { ListedUser, ParamsOf, ResultOf } from '@parley/protocol'
import { createRightsOfToken } from './rights.ts'
import { newToken, openUsersFile, type UsersFile } from './users-file.ts'
import { UsersFileError, type UsersLine } from './users-text.ts'

/** Users of a server, as the engine and the listeners use them. */
export interface ServerUsers extends Users, Disposable, Pick<UsersFile, 'file' | 'lines' | 'problem' | 'onChange'> {}

/** Opens a users file; one that is missing, or that cannot be used and is reported, has no users. */
export function openUsers(path: string, report: (sentence: string) => void): ServerUsers {
  const file = openUsersFile(path, report)
  return {
    file: file.file,
    get lines() {
      return file.lines
    },
    get problem() {
      return file.problem
    },
    refresh: file.refresh,
    has: (name) => file.find(name) !== null,
    rightsIn: (source, now) => createRightsOfToken(file, source, now),
    list: () => listUsers(file),
    add: (params) => addUser(file, params),
    remove: (params) => removeUser(file, params),
    renewToken: (params) => renewToken(file, params),
    onChange: file.onChange,
    [Symbol.dispose]: () => file[Symbol.dispose](),
  }
}

/** Lists the users, and the names that are kept from new ones. Throws `configInvalid` for a faulty file. */
function listUsers(users: UsersFile): ResultOf<'user/list'> {
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
function addUser(
  users: UsersFile,
  { user: name, role = 'member', maxSandbox, again }: ParamsOf<'user/add'>,
): { token: string } {
  const { token, tokenHash } = newToken()
  const user = { name, role, tokenHash, ...(maxSandbox === undefined ? {} : { maxSandbox }) }
  change(users, (lines) => {
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

/** Removes a user. Its name is kept from others. */
function removeUser(users: UsersFile, { user: name }: ParamsOf<'user/remove'>): Record<string, never> {
  change(users, (lines) => withUser(lines, name, () => ({ kind: 'removed', name })))
  return {}
}

/** Gives a user a new token, and returns it. */
function renewToken(users: UsersFile, { user: name }: ParamsOf<'user/token'>): { token: string } {
  const { token, tokenHash } = newToken()
  change(users, (lines) => withUser(lines, name, ({ user }) => ({ kind: 'user', user: { ...user, tokenHash } })))
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

function change(users: UsersFile, plan: Parameters<UsersFile['change']>[0]): void {
  try {
    users.change(plan)
  } catch (error) {
    if (!(error instanceof UsersFileError)) throw error
    throw rejection('configInvalid', error.message, { where: users.file })
  }
}
