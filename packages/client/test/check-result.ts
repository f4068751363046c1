import { methods } from '@parley/protocol/schema'
import type { CheckResult } from '../src/index.ts'

/** Throws if a result does not fit the schema of its method. */
export const checkResult: CheckResult = (method, result) => {
  methods[method].result.parse(result)
}
