import { resolve } from 'node:path'
import type { Parley } from '@parley/client'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { ListedUser, ParamsOf } from '@parley/protocol'
import { withoutUndefined } from '@parley/text'
import { connect } from '../../cli/connect.ts'
import { exitCodes } from '../../cli/exit-codes.ts'
import type { Launch } from '../../cli/launch-server.ts'
import { noUsersFile } from '../../cli/messages.ts'

export interface UsersFlags {
  readonly users?: string
  readonly json?: boolean
}

export interface NewUserFlags extends UsersFlags {
  readonly role?: NonNullable<ParamsOf<'user/add'>['role']>
  readonly maxSandbox?: NonNullable<ParamsOf<'user/add'>['maxSandbox']>
  readonly again?: boolean
}

export async function listUsers(launch: Launch, flags: UsersFlags): Promise<number> {
  await using parley = await withUsers(launch, flags)
  const { users } = await parley.request('user/list', {})
  const text = flags.json === true ? users.map((user) => `${JSON.stringify(user)}\n`).join('') : usersText(users)
  launch.streams.stdout.write(showEffects(text))
  return exitCodes.ok
}

/** Runs `parley user add`: prints the token, which cannot be shown again. */
export async function addUser(launch: Launch, user: string, flags: NewUserFlags): Promise<number> {
  await using parley = await withUsers(launch, flags)
  const { role, maxSandbox, again } = flags
  const { token } = await parley.request('user/add', {
    user,
    ...withoutUndefined({ role, maxSandbox }),
    ...(again === true ? { again } : {}),
  })
  return printToken(launch, user, token)
}

export async function renewToken(launch: Launch, user: string, flags: UsersFlags): Promise<number> {
  await using parley = await withUsers(launch, flags)
  const { token } = await parley.request('user/token', { user })
  return printToken(launch, user, token)
}

export async function removeUser(launch: Launch, user: string, flags: UsersFlags): Promise<number> {
  await using parley = await withUsers(launch, flags)
  await parley.request('user/remove', { user })
  launch.streams.stdout.write(`${user} is no user any more. What was shared with the name stays with it.\n`)
  return exitCodes.ok
}

/** Prints a token alone on stdout, for a pipe into a file, and a hint on stderr. */
function printToken({ streams }: Launch, user: string, token: string): number {
  streams.stderr.write(`The token of ${user}, told this once: clients bring it by --token-file.\n`)
  streams.stdout.write(`${token}\n`)
  return exitCodes.ok
}

/** Connects to a server with the users file of `--users`, or of the configuration. Throws `noUsersFile`. */
async function withUsers(launch: Launch, { users }: UsersFlags): Promise<Parley> {
  // Without the store, because a user can be removed also while it is down.
  const serverArgs = ['--store', 'none', ...(users === undefined ? [] : ['--users', resolve(users)])]
  const parley = await connect(launch, { clientName: 'parley-user', serverArgs })
  const { file } = await parley.request('user/list', {})
  if (file !== null) return parley
  await parley.close()
  throw noUsersFile()
}

function usersText(users: readonly ListedUser[]): string {
  if (users.length === 0) return 'There are no users yet: parley user add NAME --role admin\n'
  return users.map((user) => `${user.user}  ${wordsOf(user)}\n`).join('')
}

function wordsOf({ role, maxSandbox, removed }: ListedUser): string {
  if (removed === true) return 'removed'
  return maxSandbox === undefined ? role : `${role}, ${maxSandbox} at most`
}
