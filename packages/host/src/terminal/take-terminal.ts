import { existsSync } from 'node:fs'
import { SpawnProblem } from '../spawn-failure.ts'

export interface TerminalLaunch {
  readonly prefix: readonly string[]
  readonly ownSession: boolean
}

/**
 * A session gets its terminal only from within. `setsid` does just that; where there is none, a shell that opens the
 * terminal does, at the price of variables whose names are none to a shell.
 */
export function takeTerminal(terminalPath: string, arg0: string | undefined): TerminalLaunch {
  const setsid = ['/usr/bin/setsid', '/bin/setsid'].find((path) => existsSync(path))
  const take = setsid === undefined ? ['/bin/sh', '-c', openAndRun, terminalPath] : [setsid, '-c']
  return { prefix: [...take, ...(arg0 === undefined ? [] : runAs(arg0))], ownSession: setsid === undefined }
}

const openAndRun = 'exec 0<>"$0" 1>&0 2>&0 && exec "$@"'

function runAs(arg0: string): string[] {
  if (existsSync('/bin/bash')) return ['/bin/bash', '-c', 'exec -a "$0" -- "$@"', arg0]
  throw new SpawnProblem('ENOSYS', 'system', 'arg0 with a terminal needs /bin/bash, which is not there')
}
