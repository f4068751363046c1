import { closeSync, openSync } from 'node:fs'
import { markVariable } from '../../system/marks.ts'
import { findSetsid } from '../../system/programs.ts'
import { isWithin } from '../../system/real-path.ts'
import { assertStartable, SpawnFailedError, type StartAttempt } from '../../system/spawn-failure.ts'
import { openAnonymousFile, openToAppend, readAnonymousFile } from '../anonymous-file.ts'
import { hiddenEnv } from '../landlock/script.ts'
import type { Loopback, SandboxedCommand, SandboxWatch, WrappedCommand } from '../sandbox.ts'
import { scratchEnv } from '../scratch.ts'
import { type BubblewrapFeatures, bubblewrapArguments } from './bubblewrap-arguments.ts'
import { standInFor } from './hidden-places.ts'
import { readFirstProcess, readOutcome, reportFd } from './inner-shell.ts'
import { openPinned, type PinnedRoot } from './pinned-roots.ts'
import type { Mount } from './plan-mounts.ts'

/** Setup shared by all commands under the same limits. */
interface BubblewrapSetup {
  /** Path of bwrap. */
  readonly program: string
  readonly features: BubblewrapFeatures
  readonly mounts: readonly Mount[]
  readonly pinned: readonly PinnedRoot[]
  readonly scratch: string | null
  readonly network: boolean
  /** Network to start in; null for the one of this process, or of the command alone. */
  readonly loopback: Loopback | null
  /** Words before each command that limit it further; empty on machines without Landlock. */
  readonly writeLimits: readonly string[]
  readonly filter: Buffer
  /** Script of the inner shell. */
  readonly shell: string
}

/** Limit of options that bwrap reads, including the command's words. */
const maxArguments = 9000
const maxStatusBytes = 4096
const maxReportBytes = 8192

/**
 * Wraps a command in bwrap. Hands options and env over in a file: all users see arguments, and bwrap must not get
 * variables that the linker obeys. Throws `SpawnFailedError` for a command that cannot start inside.
 */
export function wrapCommand(command: SandboxedCommand, setup: BubblewrapSetup): WrappedCommand {
  const { program, mounts, scratch, network, loopback, writeLimits } = setup
  assertStartableInside(command, mounts, scratch)
  const terminal = command.terminal === true
  const shell = [...(terminal ? setsidPrefix() : []), '/bin/sh', '-c', setup.shell, 'sh']
  const opened: number[] = []
  const keep = (fd: number) => {
    opened.push(fd)
    return fd
  }
  try {
    const reportFile = keep(openAnonymousFile())
    const statusFile = keep(openAnonymousFile())
    const emptyFds = mounts.filter(({ kind }) => kind === 'emptyFile').map(({ path }) => keep(openStandIn(path)))
    const folders = openPinned(setup.pinned).map(keep)
    const passed = [keep(openToAppend(reportFile)), ...folders, keep(openToAppend(statusFile))]
    const argsFd = reportFd + passed.length
    const inside = { statusFd: argsFd - 1, filterFd: argsFd + 1, emptyFds: emptyFds.map((_, at) => argsFd + 2 + at) }
    const around = { folder: '/tmp', network }
    const env = writeLimits.length > 0 ? hiddenEnv(command, around) : scratchEnv(command.env, around)
    const keepsNetwork = network || loopback !== null
    const options = bubblewrapArguments({ ...setup, ...inside, keepsNetwork, env, cwd: command.cwd, terminal })
    const words = [...shell, ...writeLimits, ...command.argv]
    if (options.length + words.length >= maxArguments)
      throw new SpawnFailedError('E2BIG', 'arguments', 'The arguments and the environment are too many for the sandbox')
    const argsFile = keep(openAnonymousFile(options.map((option) => `${option}\0`).join('')))
    const filterFile = keep(openAnonymousFile(setup.filter))
    return {
      argv: [...(loopback?.entrance() ?? []), program, '--args', String(argsFd), '--', ...words],
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

/** Opens the content of a hidden file inside, which is empty for most files. */
function openStandIn(path: string): number {
  const text = standInFor(path)
  return text === '' ? openSync('/dev/null', 'r') : openAnonymousFile(text)
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

/** Returns the prefix that takes the terminal inside, where the session of the command is made. */
function setsidPrefix(): readonly string[] {
  const setsid = findSetsid()
  if (setsid === null) throw new Error('a terminal needs setsid, which is not there')
  return setsid
}

/** Returns an env with the mark alone, which leads to a bwrap that was left behind. */
function bareEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const mark = env[markVariable]
  return mark === undefined ? {} : { [markVariable]: mark }
}

/** Throws `SpawnFailedError` for a program or directory that does not exist inside. */
function assertStartableInside(command: StartAttempt, mounts: readonly Mount[], scratch: string | null): void {
  assertStartable(command, (path) => outsidePath(path, mounts, scratch))
}

/** Returns the outside path of a path inside; null for what starts empty there. */
function outsidePath(path: string, mounts: readonly Mount[], scratch: string | null): string | null {
  const around = mounts.findLast((mount) => isWithin(path, mount.path))
  switch (around?.kind) {
    case 'memory':
    case 'emptyFolder':
    case 'emptyFile':
      // The folder itself exists inside.
      return path === around.path ? path : null
    case 'temporary':
      return path === around.path ? path : scratch === null ? null : `${scratch}${path.slice(around.path.length)}`
    default:
      return path
  }
}
