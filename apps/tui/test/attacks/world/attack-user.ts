import { existsSync, lchownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ordinaryUid } from '@parley/testkit/ordinary-user'

/** User whose server is attacked. Without an id: the user who runs the tests. */
export interface AttackUser {
  readonly name: string
  readonly uid: number | null
  /** Programs that are empty files to all that runs as this user. */
  readonly hides?: readonly string[]
}

const isRoot = process.getuid?.() === 0
export const thisUser: AttackUser = { name: isRoot ? 'root' : 'the user of the tests', uid: null }
export const ordinaryUser: AttackUser = { name: 'an ordinary user', uid: ordinaryUid }

/** The same user on a machine without bubblewrap, where limits are enforced in part. */
export const withoutBubblewrap = (user: AttackUser): AttackUser => ({
  ...user,
  name: `${user.name} without bubblewrap`,
  hides: ['/usr/bin/bwrap', '/usr/local/bin/bwrap'].filter((path) => existsSync(path)),
})

/** The command that runs another as this user. */
export function asUser({ uid, hides = [] }: AttackUser, command: readonly string[]): readonly [string, ...string[]] {
  const [program = '', ...args] = command
  const own: readonly [string, ...string[]] =
    uid === null
      ? [program, ...args]
      : ['/usr/bin/setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', program, ...args]
  return hides.length === 0 ? own : ['unshare', ...namespaces, 'sh', '-c', hiding(hides), 'sh', ...own]
}

const namespaces = ['--mount', '--propagation', 'private', ...(isRoot ? [] : ['--user', '--map-current-user'])]

const hiding = (paths: readonly string[]): string =>
  `${paths.map((path) => `mount --bind /dev/null ${path}`).join(' && ')} && exec "$@"`

/** All below a folder becomes that user's; links themselves, never what they point to. */
export function giveTo(user: AttackUser, path: string): void {
  if (user.uid === null) return
  lchownSync(path, user.uid, user.uid)
  if (!lstatSync(path).isDirectory()) return
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    if (entry.isDirectory()) giveTo(user, below)
    else lchownSync(below, user.uid, user.uid)
  }
}
