import { fileURLToPath } from 'node:url'

/** Workspace packages resolve to their sources in tests, so no unit test ever sees a stale build. */
export const sourceConditions = {
  resolve: { conditions: ['@parley/source', 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: ['@parley/source', 'node', 'import', 'default'] } },
}

/**
 * Fails a test that makes no assertion. Concurrent tests use the `expect` of their context, which counts for one test.
 * `expect.poll` waits as `waitUntil` does: its own limit of 1 s fails tests on a busy machine.
 */
export const expect = { requireAssertions: true, poll: { timeout: 30_000 } }

/**
 * Files of a project share their worker and what it has loaded: a third of the suite's time went into loading the same
 * modules anew. A test therefore leaves the process as it found it. The time limit is for what hangs, not for what is
 * slow: a busy machine takes several times as long as a quiet one.
 */
export const sharedWorker = {
  isolate: false,
  // A process of 500 MB takes 15 ms of CPU to start a child, one of 100 MB a third of it: its pages are listed anew.
  execArgv: ['--max-semi-space-size=16'],
  setupFiles: [fileURLToPath(new URL('packages/testkit/src/properties/same-cases.ts', import.meta.url))],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect,
}
