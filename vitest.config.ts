import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/check/longest-first.mjs'
import { sharedWorker, sourceConditions } from './vitest.shared.ts'

/**
 * All packages as one project: its workers load once what many packages share, where a project for each package starts
 * 40 more processes. Tests of `packages/foreign` have another `expect`.
 */
const together = {
  ...sourceConditions,
  test: {
    ...sharedWorker,
    name: 'packages',
    include: ['packages/*/test/**/*.test.ts'],
    exclude: ['packages/foreign/**', '**/node_modules/**'],
  },
}

/** `npm test` sets it; a developer names one package by `--project`. */
const isWhole = process.env['PARLEY_WHOLE_SUITE'] === '1'

export default defineConfig({
  test: {
    projects: [...(isWhole ? [together, 'packages/foreign'] : ['packages/*']), 'apps/*', 'scripts'],
    sequence: { sequencer: LongestFirst },
  },
})
