import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/check/longest-first.mjs'

export default defineConfig({
  test: { projects: ['packages/*', 'apps/*', 'scripts'], sequence: { sequencer: LongestFirst } },
})
