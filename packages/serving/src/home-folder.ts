import { chmodSync, renameSync, type Stats, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { appendUnlocked, foreignOwner } from '@parley/host'
import { makeFolders, nodeFiles } from '@parley/journal'
import { systemErrorReason } from '@parley/workspace'
import { absolutePath, UsageError } from './flags.ts'

/**
 * Returns `$PARLEY_HOME`, or `.parley` in the user's home. An empty variable counts as unset, since it would mean the
 * working folder.
 */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  return absolutePath(env['PARLEY_HOME'] || join(env['HOME'] || homedir(), '.parley'))
}

/** Returns the folder of facts about this machine, notes about reserved names, and other files that can be lost. */
export function stateFolder(home: string): string {
  return join(home, 'cache')
}

/**
 * Returns the folders in which this user's programs keep secrets: of `HOME`, of the system's list of users, and of
 * variables.
 */
export function userPlaces(home: string, env: Readonly<Record<string, string | undefined>>) {
  return { home, otherHomes: listedHomes(), env, ...workingFolder() }
}

/** Returns the folder that relative values of variables start from; nothing once it has been deleted. */
function workingFolder(): { readonly cwd?: string } {
  try {
    return { cwd: process.cwd() }
  } catch {
    return {}
  }
}

/** Returns this user's home in the system's list of users, whatever HOME says; empty for an unknown user. */
function listedHomes(): readonly string[] {
  try {
    const { homedir: listed } = userInfo()
    return isAbsolute(listed) && listed !== '/' ? [resolve(listed)] : []
  } catch {
    return []
  }
}

/** A home that cannot be used. The message is a sentence with its path, the cause and what to do. */
export class HomeError extends Error {
  override readonly name = 'HomeError'
}

const accessOfOthers = 0o077

/** Entries of the home that decide which programs run, or hold texts of conversations. */
const rulingEntries = [
  'config.toml',
  'policy.toml',
  'redaction.key',
  'credentials.json',
  'sessions',
  'trust',
  'logs',
  'cache',
  'epochs',
  'scratch',
]

/**
 * Removes other users' access to the home folder. Returns the sentence that reports it; null when nothing changed.
 * Throws `UsageError` for a folder, files or links of another user, and `HomeError` where the disk refuses.
 */
export function makeHomePrivate(home: string): string | null {
  const facts = unlessRefused(home, 'cannot be read', () => statSync(home, { throwIfNoEntry: false }))
  const own = process.getuid?.()
  if (facts?.isDirectory() !== true || own === undefined) return null
  if (facts.uid !== own) {
    const others = own === 0 ? 'Whoever owns it says what runs here: run as that user, or set' : 'Set'
    throw new UsageError(
      `${home} belongs to user ${facts.uid}, and this is user ${own}. ${others} PARLEY_HOME to a folder of your own.`,
    )
  }
  for (const name of rulingEntries) assertOwn(join(home, name))
  const mode = facts.mode & 0o7777
  if ((mode & accessOfOthers) === 0) return null
  const problem = `is open to other users of this machine (mode ${mode.toString(8)}) and cannot be made yours alone`
  unlessRefused(home, problem, () => chmodSync(home, mode & ~accessOfOthers))
  return `${home} was open to other users of this machine (mode ${mode.toString(8)}); it is yours alone now.`
}

function unlessRefused<Result>(home: string, problem: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    const cause = `${systemErrorReason(error)}. Mount it writable, or set PARLEY_HOME to a folder of yours on another disk.`
    throw new HomeError(`The home ${home} ${problem}: ${cause}`, { cause: error })
  }
}

function assertOwn(path: string): void {
  const facts = reachable(path)
  const stranger = facts === null ? null : foreignOwner(path, facts)
  if (stranger === null) return
  throw new UsageError(
    `${path} belongs to user ${stranger}, who can change what it says. Make it yours (chown) if you know what it holds, or move it away.`,
  )
}

/** Returns null for what cannot be reached, such as a link to itself: its reader says so. */
function reachable(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

const maxBytes = 1 << 20

/**
 * Opens the server's log of faults, since stdout belongs to the protocol. It is capped at 1 MiB; the previous one is
 * kept.
 */
export function openServerLog(home: string, redact: (text: string) => string): { write(line: string): void } {
  const folder = join(home, 'logs')
  const path = join(folder, 'server.log')
  return {
    write(line) {
      try {
        makeFolders(nodeFiles, folder)
        if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(path, `${path}.1`)
        appendUnlocked(path, `${new Date().toISOString()} ${process.pid} ${redact(line)}\n`)
      } catch {
        // A log that cannot be written must not end the conversation.
      }
    },
  }
}
