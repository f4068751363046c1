import { existsSync } from 'node:fs'

/** What starts a program as the owner of its terminal, before its arguments; null where there is none. */
export function findSetsid(): readonly string[] | null {
  const program = ['/usr/bin/setsid', '/bin/setsid'].find((path) => existsSync(path))
  return program === undefined ? null : [program, '-c']
}
