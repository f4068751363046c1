import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'

/** Networks of one machine each, joined by a switch, which this machine is at, too. */
export interface TeamNetwork extends Disposable {
  /** Address of this machine. */
  readonly here: string
  readonly machines: readonly Machine[]
  /** Loses what each of the first sends to each of the others, and the other way round. One may be among both. */
  cut(ones: readonly number[], others: readonly number[]): void
  heal(): void
}

interface Machine {
  readonly host: string
  /** Put before a program to run it there. */
  readonly launcher: readonly string[]
}

export function createTeamNetwork(count: number): TeamNetwork {
  const id = randomBytes(3).toString('hex')
  const third = Number.parseInt(id.slice(0, 2), 16)
  // A range for tests of networks: nobody's address.
  const address = (machine: number) => `198.18.${third}.${machine + 1}`
  const [bridge, here] = [`pb${id}`, `198.18.${third}.254`]
  const names = Array.from({ length: count }, (_, machine) => `parley-${id}-${machine}`)
  const cuts: (readonly [number, number])[] = []

  function remove(): void {
    for (const name of names) tryIp('netns', 'del', name)
    tryIp('link', 'del', bridge)
  }

  try {
    ip('link', 'add', bridge, 'type', 'bridge')
    ip('addr', 'add', `${here}/24`, 'dev', bridge)
    ip('link', 'set', bridge, 'up')
    for (const [machine, name] of names.entries()) {
      const [near, far] = [`pn${id}${machine}`, `pf${id}${machine}`]
      ip('netns', 'add', name)
      ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name)
      ip('link', 'set', near, 'master', bridge, 'up')
      ip('-n', name, 'addr', 'add', `${address(machine)}/24`, 'dev', far)
      ip('-n', name, 'link', 'set', far, 'up')
      ip('-n', name, 'link', 'set', 'lo', 'up')
    }
  } catch (error) {
    remove()
    throw error
  }
  const route = (act: 'add' | 'del', [from, to]: readonly [number, number]) =>
    ip('-n', names[from] ?? '', 'route', act, 'blackhole', `${address(to)}/32`)
  return {
    here,
    machines: names.map((name, machine) => ({ host: address(machine), launcher: ['ip', 'netns', 'exec', name] })),
    cut(ones, others) {
      for (const one of ones)
        for (const other of others.filter((machine) => machine !== one))
          for (const way of [
            [one, other],
            [other, one],
          ] as const) {
            route('add', way)
            cuts.push(way)
          }
    },
    heal() {
      for (const way of cuts.splice(0)) route('del', way)
    },
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
