import { defineProject } from 'vitest/config'
import { sharedWorker } from '../vitest.shared.ts'

export default defineProject({ test: { ...sharedWorker, name: 'scripts', include: ['**/*.test.ts'] } })
