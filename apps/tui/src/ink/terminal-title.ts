import { readlinkSync } from 'node:fs'
import { userInfo } from 'node:os'

/** How others see this window: its user, and the terminal, since one user may have several. */
export function terminalTitle(): string {
  return `${userName()} (${terminal()})`
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // An account that the system has no name for.
    return 'parley'
  }
}

/** Where the system does not tell a terminal's name the process has to do. */
function terminal(): string {
  try {
    return readlinkSync('/proc/self/fd/0').replace(/^\/dev\//, '')
  } catch {
    return `process ${process.pid}`
  }
}
