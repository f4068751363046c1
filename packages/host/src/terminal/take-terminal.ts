import { existsSync } from 'node:fs'
import type { TerminalTaking } from '../launch.ts'

/**
 * A session gets its terminal only from within. `setsid` does just that; where there is none, a shell that opens the
 * terminal does, at the price of variables whose names are none to a shell.
 */
export function takeTerminal(terminalPath: string): TerminalTaking {
  const setsid = ['/usr/bin/setsid', '/bin/setsid'].find((path) => existsSync(path))
  const prefix = setsid === undefined ? ['/bin/sh', '-c', openAndRun, terminalPath] : [setsid, '-c']
  return { prefix, ownSession: setsid === undefined }
}

const openAndRun = 'exec 0<>"$0" 1>&0 2>&0 && exec "$@"'
