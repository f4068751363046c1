import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Files } from '@parley/journal'
import {
  type PolicyFile,
  type Projects,
  placeOf,
  type Rules,
  readPolicyFile,
  type ShellParser,
  type UserRules,
} from '@parley/policy'
import type { Environments } from '@parley/workspace'
import { rejection } from '../refusal.ts'

/** What is needed to say what the policy would say, besides the conversation. */
export interface PolicyPorts {
  readonly files: Files
  readonly home: string
  readonly places: Environments
  readonly shellParser: ShellParser
  readonly userRules: UserRules
  /** Rules of a project count where it is trusted. */
  readonly projects: Pick<Projects, 'of'>
}

export interface WantedRules {
  /** Taken instead of the user's own file. */
  readonly rules?: string | undefined
  /** Laid over it, as with `parley exec --policy`. */
  readonly policyFile?: string | undefined
  readonly cwd: string
}

/** The rules to judge by. A file that was named has to be there, and each has to be sound. */
export async function readWantedRules(userRules: UserRules, { rules, policyFile, cwd }: WantedRules): Promise<Rules> {
  const own = rules === undefined ? await userRules.read() : await readNamed(resolve(cwd, rules))
  const over = policyFile === undefined ? [] : [await readNamed(resolve(cwd, policyFile))]
  return soundRules([own, ...over])
}

function readNamed(file: string): Promise<PolicyFile> {
  if (!existsSync(file)) throw rejection('configInvalid', `The rules file ${file} does not exist.`, { where: file })
  return readPolicyFile(file)
}

/** The rules of files that lie one over the other; refused where one of them has a problem. */
export function soundRules(files: readonly PolicyFile[]): Rules {
  const [problem] = files.flatMap(({ problems }) => problems)
  if (problem === undefined) return files.flatMap(({ rules }) => rules)
  const where = placeOf(problem)
  throw rejection('configInvalid', `${where}: ${problem.message}`, { where })
}
