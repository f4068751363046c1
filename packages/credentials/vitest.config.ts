import { defineProject } from 'vitest/config'
import { sharedWorker, sourceConditions } from '../../vitest.shared.ts'

export default defineProject({
  ...sourceConditions,
  test: { ...sharedWorker, name: 'credentials', include: ['test/**/*.test.ts'] },
})
