import fc from 'fast-check'
import { isLong } from './long-runs.ts'

// A set-up file of every project: a property that meets a rare case must not fail a change that has nothing to do with it.
if (!isLong) fc.configureGlobal({ seed: 20_261_123 })
