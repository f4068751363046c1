import { defineProject } from 'vitest/config'
import { expect } from '../vitest.shared.ts'

export default defineProject({ test: { expect, name: 'scripts', include: ['**/*.test.ts'] } })
