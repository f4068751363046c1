import { defineProject } from 'vitest/config'
import { expect, sourceConditions } from '../../vitest.shared.ts'

export default defineProject({ ...sourceConditions, test: { expect, name: 'host', include: ['test/**/*.test.ts'] } })
