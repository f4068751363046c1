import type { TerminalTaking } from '../launch.ts'
import { findSetsid } from './find-setsid.ts'

/**
 * A session gets its terminal only from within. `setsid` does just that; where there is none, a shell that opens the
 * terminal does, at the price of variables whose names are none to a shell.
 */
export function takeTerminal(terminalPath: string): TerminalTaking {
  const setsid = findSetsid()
  return { prefix: setsid ?? ['/bin/sh', '-c', openAndRun, terminalPath], ownSession: setsid === null }
}

const openAndRun = 'exec 0<>"$0" 1>&0 2>&0 && exec "$@"'
