import { defineConfig } from 'vitest/config'

// Most of a test's time is waiting for processes, so that two workers on two cores never starve each other.
export default defineConfig({ test: { projects: ['packages/*', 'apps/*', 'scripts'], maxWorkers: 2 } })
