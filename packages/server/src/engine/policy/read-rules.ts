import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type PolicyFile, type Rules, readPolicyFile, type UserRules } from '@parley/policy'
import { rejection } from '../replies/rejection.ts'
import { soundRules } from './sound-rules.ts'

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
