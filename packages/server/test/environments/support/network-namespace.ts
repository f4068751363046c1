import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'

/** Another network, reached from this one by one cable. */
export interface FarNetwork extends Disposable {
  /** Put before a program to run it there. */
  readonly launcher: readonly string[]
  readonly farAddress: string
  unplug(): void
  plugIn(): void
}

/** Reason why there can be no other network here, or null. */
export function networkComplaint(): string | null {
  if (process.platform !== 'linux') return 'network namespaces are Linux only'
  if (process.getuid?.() !== 0) return 'a network namespace takes root'
  try {
    const name = `parley-try-${randomBytes(3).toString('hex')}`
    ip('netns', 'add', name)
    ip('netns', 'del', name)
    return null
  } catch (error) {
    return `there can be no network namespace: ${error instanceof Error ? error.message.split('\n', 1)[0] : ''}`
  }
}

export function createFarNetwork(): FarNetwork {
  const id = randomBytes(3).toString('hex')
  const [name, near, far] = [`parley-${id}`, `pn${id}`, `pf${id}`]
  // A range for tests of networks: nobody's address.
  const third = Number.parseInt(id.slice(0, 2), 16)
  const [nearAddress, farAddress] = [`198.19.${third}.1`, `198.19.${third}.2`]
  const there = ['netns', 'exec', name]
  const remove = () => {
    tryIp('link', 'del', near)
    tryIp('netns', 'del', name)
  }
  try {
    ip('netns', 'add', name)
    ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name)
    ip('addr', 'add', `${nearAddress}/30`, 'dev', near)
    ip('link', 'set', near, 'up')
    ip(...there, 'ip', 'addr', 'add', `${farAddress}/30`, 'dev', far)
    ip(...there, 'ip', 'link', 'set', far, 'up')
    ip(...there, 'ip', 'link', 'set', 'lo', 'up')
  } catch (error) {
    remove()
    throw error
  }
  return {
    launcher: ['ip', ...there],
    farAddress,
    unplug: () => ip(...there, 'ip', 'link', 'set', far, 'down'),
    plugIn: () => ip(...there, 'ip', 'link', 'set', far, 'up'),
    [Symbol.dispose]: remove,
  }
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

function tryIp(...args: readonly string[]): void {
  try {
    ip(...args)
  } catch {
    // It is gone already, or was never made.
  }
}
