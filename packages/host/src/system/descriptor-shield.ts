import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { orNull } from '@parley/text'

/** Descriptors of this process that a child would inherit because Node cannot mark them close-on-exec. */
export interface DescriptorShield {
  /** Adds a descriptor, from its opening until after its closing. */
  add(fd: number): void
  remove(fd: number): void
  inherited(): Iterable<number>
  /** Returns a descriptor of /dev/null, which replaces them in a child. */
  nullFd(): number
  close(): void
}

/**
 * Creates a shield for terminals: their native part never marks descriptors close-on-exec, while Node marks all of its
 * own.
 */
export function createDescriptorShield(): DescriptorShield {
  const leaking = new Set<number>()
  let nullFd: number | null = null
  return {
    add: (fd) => void leaking.add(fd),
    remove: (fd) => void leaking.delete(fd),
    inherited: () => leaking,
    nullFd() {
      nullFd ??= openSync('/dev/null', 'r+')
      return nullFd
    },
    close() {
      if (nullFd !== null) closeSync(nullFd)
      nullFd = null
    },
  }
}

/** Returns the child's descriptors in order, with /dev/null in place of each that it would inherit. */
export function shieldedStdio(
  fds: readonly (number | null | 'pipe')[],
  shield: DescriptorShield,
): (number | 'ignore' | 'pipe')[] {
  const stdio = fds.map((fd) => fd ?? 'ignore')
  for (const fd of shield.inherited()) {
    if (fd < fds.length) continue
    while (stdio.length < fd) stdio.push('ignore') // beyond the third this leaves a descriptor as it is
    stdio[fd] = shield.nullFd()
  }
  return stdio
}

const closeOnExec = 0o2000000

/**
 * Closes descriptors inherited from the parent process: an open folder would be a way out of any sandbox. Called before
 * anything else is opened, when all descriptors without close-on-exec are inherited. Linux; elsewhere it does nothing.
 */
export function closeInheritedDescriptors(): void {
  const channel = Number(process.env['NODE_CHANNEL_FD'] ?? Number.NaN)
  for (const fd of orNull(() => readdirSync('/proc/self/fdinfo').map(Number)) ?? []) {
    if (fd > 2 && fd !== channel && !isCloseOnExec(fd)) closeSync(fd)
  }
}

/** Returns true where the flags cannot be read: the descriptor may be one of Node's own. */
function isCloseOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1]
    return flags === undefined || (Number.parseInt(flags, 8) & closeOnExec) !== 0
  } catch {
    return true
  }
}
