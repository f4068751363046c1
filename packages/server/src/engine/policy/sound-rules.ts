import { type PolicyFile, problemLocation, type Rules } from '@parley/policy'
import { rejection } from '../replies/rejection.ts'

/** The rules of files that lie one over the other; refused where one of them has a problem. */
export function soundRules(files: readonly PolicyFile[]): Rules {
  const [problem] = files.flatMap(({ problems }) => problems)
  if (problem === undefined) return files.flatMap(({ rules }) => rules)
  const where = problemLocation(problem)
  throw rejection('configInvalid', `${where}: ${problem.message}`, { where })
}
