import { defineProject } from 'vitest/config'
import { expect, sharedWorker, sourceConditions } from '../../vitest.shared.ts'

export default defineProject({
  ...sourceConditions,
  // Concurrent tests here use the shared `expect`, whose assertions count for whichever test began last.
  test: { ...sharedWorker, expect: { poll: expect.poll }, name: 'tui', include: ['test/**/*.test.{ts,tsx}'] },
})
