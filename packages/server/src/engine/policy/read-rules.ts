import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Files } from '@parley/journal'
import {
  type PolicyFile,
  type Projects,
  problemLocation,
  type Rules,
  readPolicyFile,
  type ShellParser,
  type UserRules,
} from '@parley/policy'
import type { Environments } from '@parley/workspace'
import { rejection } from '../replies/rejection.ts'

/** Ports of the requests about policy that need no open conversation. */
export interface PolicyPorts {
  readonly files: Files
  readonly home: string
  readonly places: Environments
  readonly shellParser: ShellParser
  readonly userRules: UserRules
  /** Projects, whose rules apply where they are trusted. */
  readonly projects: Pick<Projects, 'of'>
}

export interface WantedRules {
  /** Path of a rules file that replaces the user's own. */
  readonly rules?: string | undefined
  /** Path of a rules file that applies besides it, as with `parley exec --policy`. */
  readonly policyFile?: string | undefined
  readonly cwd: string
}

/** Reads the rules to judge by. Rejects with `configInvalid` for a named file that is missing, or with a problem. */
export async function readWantedRules(userRules: UserRules, { rules, policyFile, cwd }: WantedRules): Promise<Rules> {
  const own = rules === undefined ? await userRules.read() : await readNamed(resolve(cwd, rules))
  const over = policyFile === undefined ? [] : [await readNamed(resolve(cwd, policyFile))]
  return soundRules([own, ...over])
}

function readNamed(file: string): Promise<PolicyFile> {
  if (!existsSync(file)) throw rejection('configInvalid', `The rules file ${file} does not exist.`, { where: file })
  return readPolicyFile(file)
}

/** Returns the rules of all files. Throws `configInvalid` for the first problem in one of them. */
export function soundRules(files: readonly PolicyFile[]): Rules {
  const [problem] = files.flatMap(({ problems }) => problems)
  if (problem === undefined) return files.flatMap(({ rules }) => rules)
  const where = problemLocation(problem)
  throw rejection('configInvalid', `${where}: ${problem.message}`, { where })
}
