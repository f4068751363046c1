import { defineProject } from 'vitest/config'
import { expect, sharedWorker, sourceConditions } from '../../vitest.shared.ts'

export default defineProject({
  ...sourceConditions,
  // Tests that compare transcripts assert by throwing, not by `expect`.
  test: { ...sharedWorker, expect: { poll: expect.poll }, name: 'foreign', include: ['test/**/*.test.ts'] },
})
