import { existsSync } from 'node:fs'
import { SpawnProblem } from './spawn-failure.ts'

/** Programs before a command that give it another name for itself. */
export function runAs(arg0: string): string[] {
  if (existsSync('/bin/bash')) return ['/bin/bash', '-c', 'exec -a "$0" -- "$@"', arg0]
  throw new SpawnProblem('ENOSYS', 'system', 'arg0 with a terminal or in a sandbox needs /bin/bash, which is not there')
}
