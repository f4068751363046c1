import { noSandbox, type Sandboxes, type SandboxLimits, type SandboxReport } from '@parley/host'

export interface FakeSandboxes {
  readonly sandboxes: Sandboxes
  /** Requested sandboxes, in order. */
  readonly prepared: SandboxLimits[]
  /** Makes every later setup fail; a probe finds this reason. */
  breakTo(enforcement: SandboxReport['enforcement']): void
}

/** Sandboxes that report enforcement without any. */
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
      openLoopback: () => Promise.resolve(null),
    },
  }
}
