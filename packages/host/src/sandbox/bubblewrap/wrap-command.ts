import { closeSync, openSync } from 'node:fs'
import { markVariable } from '../../system/marks.ts'
import { isWithin } from '../../system/paths.ts'
import { findSetsid } from '../../system/programs.ts'
import { assertStartable, SpawnFailedError, type StartAttempt } from '../../system/spawn-failure.ts'
import { openAnonymousFile, openToAppend, readAnonymousFile } from '../anonymous-file.ts'
import type { SandboxedCommand, SandboxWatch, WrappedCommand } from '../sandbox.ts'
import { scratchEnv } from '../scratch.ts'
import { type BubblewrapFeatures, bubblewrapArguments } from './bubblewrap-arguments.ts'
import { readFirstProcess, readOutcome, reportFd } from './inner-shell.ts'
import type { Mount } from './plan-mounts.ts'

/** What is the same for each command under these limits. */
interface BubblewrapSetup {
  /** Of bwrap. */
  readonly program: string
  readonly features: BubblewrapFeatures
  readonly mounts: readonly Mount[]
  readonly scratch: string | null
  readonly network: boolean
  readonly filter: Buffer
  /** Text of the inner shell. */
  readonly shell: string
}

/** What bwrap reads as options at most, with the command's own. */
const maxArguments = 9000
const maxStatusBytes = 4096
const maxReportBytes = 8192

/**
 * What bwrap is told is in a file, not in its arguments, which everybody can read, and the environment of the command
 * is in there too: bwrap itself runs before there are limits, and would obey what a linker obeys.
 */
export function wrapCommand(command: SandboxedCommand, surroundings: BubblewrapSetup): WrappedCommand {
  const { program, mounts, scratch } = surroundings
  assertStartableInside(command, mounts, scratch)
  const terminal = command.terminal === true
  const shell = [...(terminal ? takingTerminal() : []), '/bin/sh', '-c', surroundings.shell, 'sh']
  const opened: number[] = []
  const keep = (fd: number) => {
    opened.push(fd)
    return fd
  }
  try {
    const reportFile = keep(openAnonymousFile())
    const statusFile = keep(openAnonymousFile())
    const emptyFds = mounts.filter(({ kind }) => kind === 'emptyFile').map(() => keep(openSync('/dev/null', 'r')))
    const passed = [keep(openToAppend(reportFile)), keep(openToAppend(statusFile))]
    const argsFd = reportFd + passed.length
    const inside = { statusFd: reportFd + 1, filterFd: argsFd + 1, emptyFds: emptyFds.map((_, at) => argsFd + 2 + at) }
    const env = scratchEnv(command.env, { folder: '/tmp', network: surroundings.network })
    const options = bubblewrapArguments({ ...surroundings, ...inside, env, cwd: command.cwd, terminal })
    if (options.length + shell.length + command.argv.length >= maxArguments)
      throw new SpawnFailedError('E2BIG', 'arguments', 'The arguments and the environment are too many for the sandbox')
    const argsFile = keep(openAnonymousFile(options.map((option) => `${option}\0`).join('')))
    const filterFile = keep(openAnonymousFile(surroundings.filter))
    return {
      argv: [program, '--args', String(argsFd), '--', ...shell, ...command.argv],
      env: bareEnvironment(command.env),
      cwd: '/',
      extraFds: [...passed, argsFile, filterFile, ...emptyFds],
      watch: watchOf(statusFile, reportFile),
      ...(terminal ? { setsControllingTerminal: true } : {}),
    }
  } catch (error) {
    for (const fd of opened) closeSync(fd)
    throw error
  }
}

function watchOf(statusFile: number, reportFile: number): SandboxWatch {
  const status = () => readAnonymousFile(statusFile, maxStatusBytes)
  return {
    innerGroup: () => readFirstProcess(status()),
    outcome: () => readOutcome(status(), readAnonymousFile(reportFile, maxReportBytes)),
    close() {
      closeSync(statusFile)
      closeSync(reportFile)
    },
  }
}

/** A session gets its terminal only from within, and a command's is made inside. */
function takingTerminal(): readonly string[] {
  const setsid = findSetsid()
  if (setsid === null) throw new Error('a terminal needs setsid, which is not there')
  return setsid
}

/** Enough to find bwrap by, should it be left behind. */
function bareEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const mark = env[markVariable]
  return mark === undefined ? {} : { [markVariable]: mark }
}

/** Throws for a program or a directory that is not there inside, as outside the system would tell. */
function assertStartableInside(command: StartAttempt, mounts: readonly Mount[], scratch: string | null): void {
  assertStartable(command, (path) => outsidePath(path, mounts, scratch))
}

/** What stands behind a path inside; null for what starts empty there. */
function outsidePath(path: string, mounts: readonly Mount[], scratch: string | null): string | null {
  const around = mounts.findLast((mount) => isWithin(path, mount.path))
  switch (around?.kind) {
    case 'memory':
    case 'emptyFolder':
    case 'emptyFile':
      // A folder is there all the same.
      return path === around.path ? path : null
    case 'temporary':
      return path === around.path ? path : scratch === null ? null : `${scratch}${path.slice(around.path.length)}`
    default:
      return path
  }
}
