import { execFileSync } from 'node:child_process'
import type { BubblewrapMachine } from '../../../src/sandbox/bubblewrap/bubblewrap-arguments.ts'
import { lowestInside } from '../../../src/sandbox/landlock/rules.ts'

export function works(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore', timeout: 10_000 })
    return true
  } catch {
    return false
  }
}

export const bwrap = '/usr/bin/bwrap'
export const trial = [
  '--unshare-all',
  '--unshare-user',
  '--ro-bind',
  '/',
  '/',
  '--proc',
  '/proc',
  '--dev',
  '/dev',
  'true',
]

/** True when bubblewrap works for this user, found by trying it. */
export const hasBubblewrap = works(bwrap, trial)
export const whyNot = hasBubblewrap ? '' : ' (bwrap does not work here)'

/** Landlock of this machine, as the server finds it. */
export const landlock = landlockHere()

function landlockHere(): BubblewrapMachine['landlock'] {
  const program = '/usr/bin/perl'
  if (!works(program, ['-e', ''])) return null
  const version = Number(execFileSync(program, ['-e', 'print syscall(444, 0, 0, 1)'], { encoding: 'utf8' }))
  return version >= lowestInside ? { program, version } : null
}

export function machine(home: string): BubblewrapMachine {
  const said = execFileSync(bwrap, ['--version'], { encoding: 'utf8' })
  const [major = 0, minor = 0, patch = 0] = said.replace(/^\D+/, '').split('.').map(Number)
  return { program: bwrap, version: [major, minor, patch], host: { home }, landlock }
}
