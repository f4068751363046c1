import { noSandbox, type Sandboxes, type SandboxLimits, type SandboxReport } from '@parley/host'

export interface FakeSandboxes {
  readonly sandboxes: Sandboxes
  /** What sandboxes were asked for, in order. */
  readonly prepared: SandboxLimits[]
  /** From now on none can be set up, and a look at it finds this. */
  breakTo(enforcement: SandboxReport['enforcement']): void
}

/** Says that it enforces limits and does not: what a command does in it is up to the command. */
export function fakeSandboxes(first: SandboxReport['enforcement'] = 'full'): FakeSandboxes {
  const prepared: SandboxLimits[] = []
  let enforcement = first
  let found = first
  const report = (): SandboxReport => ({ enforcement, reason: `Tests say ${enforcement}.` })
  return {
    prepared,
    breakTo(next) {
      found = next
    },
    sandboxes: {
      report: () => Promise.resolve(report()),
      recheck() {
        enforcement = found
        return Promise.resolve(report())
      },
      prepare(limits) {
        prepared.push(limits)
        if (found !== first) return Promise.reject(new Error('the helper is gone'))
        return Promise.resolve({ limits, wrap: noSandbox.wrap })
      },
    },
  }
}
