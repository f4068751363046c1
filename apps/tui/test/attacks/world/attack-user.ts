import { lchownSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Whose server is attacked. Without an id: whoever runs the tests. */
export interface AttackUser {
  readonly name: string
  readonly uid: number | null
}

export const isRoot = process.getuid?.() === 0
export const thisUser: AttackUser = { name: isRoot ? 'root' : 'the user of the tests', uid: null }
export const ordinaryUser: AttackUser = { name: 'an ordinary user', uid: 65534 }

/** The command that runs another as this user. */
export function asUser({ uid }: AttackUser, command: readonly string[]): readonly [string, ...string[]] {
  const [program = '', ...args] = command
  if (uid === null) return [program, ...args]
  return ['/usr/bin/setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', program, ...args]
}

/** All below a folder becomes that user's; links themselves, never what they point to. */
export function giveTo(user: AttackUser, path: string): void {
  if (user.uid === null) return
  lchownSync(path, user.uid, user.uid)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    if (entry.isDirectory()) giveTo(user, below)
    else lchownSync(below, user.uid, user.uid)
  }
}
