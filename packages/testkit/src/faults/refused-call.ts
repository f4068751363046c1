import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** System call that the kernel answers with an error, in a whole tree of processes. */
export type RefusedCall = {
  readonly call: 'clone3' | 'connect' | 'fcntl' | 'fdatasync' | 'fsync' | 'mkdirat' | 'renameat2'
  readonly errno: string
  /** Refuses only calls with this value at this place, counted from 0. */
  readonly argument?: { readonly place: number; readonly value: number }
}

/** Locking calls of SQLite: `F_SETLK`. */
export const noLocks: RefusedCall = { call: 'fcntl', errno: 'ENOLCK', argument: { place: 1, value: 6 } }

const script = fileURLToPath(new URL('refuse-call.pl', import.meta.url))

/** Returns the command line that runs a command without this call. Needs Linux and Perl. */
export function commandWithout({ call, errno, argument }: RefusedCall, command: readonly string[]): string[] {
  const condition = argument === undefined ? ['-', '-'] : [`${argument.place}`, `${argument.value}`]
  return ['perl', script, call, errno, ...condition, ...command]
}

/** Returns true where the kernel takes such filters and Perl can set them. */
export function canRefuseCalls(): boolean {
  const [perl = '', ...args] = commandWithout(noLocks, ['true'])
  return process.platform === 'linux' && spawnSync(perl, args, { stdio: 'ignore' }).status === 0
}
